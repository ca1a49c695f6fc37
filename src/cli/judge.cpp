// What is wrong with draws, found in the draws alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "cli/posterior.hpp"
#include "diagnostics/limits.hpp"

namespace manychain::cli {
namespace {

using diagnostics::QuantitySummary;
using diagnostics::QuantityView;
using io::DrawsFile;

using diagnostics::ess_limit, diagnostics::rhat_limit;
constexpr std::size_t still_draws = 100;  // a chain that has not moved for so many is stuck
constexpr std::size_t least_still_draws = 10;
constexpr std::size_t named = 5;
constexpr double ess_a_chain = 10;  // Gelman and others, Bayesian Data Analysis (2013), section 11.5

/// "3 of 48 quantities (mu[1], mu[2], tau)"
std::string count(const std::vector<std::string>& names, std::size_t all, const char* of) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), named));
  return fmt::format("{} of {} {} ({}{})", names.size(), all, of, fmt::join(names.begin(), end, ", "),
                     names.size() > named ? ", ..." : "");
}

class Judge {
 public:
  Judge(const DrawsFile& file, const std::vector<QuantitySummary>& summaries) : file_(file), summaries_(summaries) {}

  std::vector<Finding> operator()() {
    for (const std::string& fault : file_.faults) add(fault, "Run it again, or know what is missing.");
    not_finite();
    constant();
    if (file_.draws < 6) {
      add(fmt::format("Too few draws: {} of each chain.", file_.draws),
          "R-hat and ESS need three draws in each half of a chain; keep at least 6.");
    }
    still();
    identical();
    rhat();
    ess(
        "Bulk ESS", [](const QuantitySummary& s) { return s.ess_bulk; }, "the mean is not precise");
    ess(
        "Tail ESS", [](const QuantitySummary& s) { return s.ess_tail; }, "the 5 % and 95 % quantiles are not precise");
    few_a_chain();
    energy();
    divergences();
    depth();
    return std::move(findings_);
  }

 private:
  void add(std::string what, std::string advice, bool fails = true) {
    findings_.push_back({std::move(what), std::move(advice), fails});
  }

  /// Names of the quantities for which `holds`.
  std::vector<std::string> quantities(const std::function<bool(const QuantitySummary&)>& holds) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < summaries_.size(); ++i) {
      if (holds(summaries_[i])) names.push_back(file_.names[i]);
    }
    return names;
  }
  std::vector<std::string> chains(const std::function<bool(std::size_t)>& holds) const {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < file_.chains; ++c) {
      if (holds(c)) names.push_back(file_.chain_names[c]);
    }
    return names;
  }
  std::string count_quantities(const std::vector<std::string>& names) const {
    return count(names, summaries_.size(), "quantities");
  }
  std::string count_chains(const std::vector<std::string>& names) const { return count(names, file_.chains, "chains"); }
  /// The draws of quantity i in chain c.
  const double* draws_of(std::size_t i, std::size_t c) const {
    return file_.values.get() + (i * file_.chains + c) * file_.draws;
  }
  /// Whether anything can be asked of a quantity.
  bool judged(const QuantitySummary& s) const { return s.not_finite == 0 && !s.constant && file_.draws >= 6; }

  void not_finite() {
    const auto bad = quantities([](const QuantitySummary& s) { return s.not_finite > 0; });
    if (bad.empty()) return;
    const auto in = chains([&](std::size_t c) {
      for (std::size_t i = 0; i < summaries_.size(); ++i) {
        if (summaries_[i].not_finite == 0) continue;
        const double* x = draws_of(i, c);
        if (!std::all_of(x, x + file_.draws, [](double v) { return std::isfinite(v); })) return true;
      }
      return false;
    });
    add(fmt::format("Not finite: a NaN or an infinity among the draws of {}, in {}.", count_quantities(bad),
                    count_chains(in)),
        "A quantity overflows or leaves its domain there; look at priors and scales.");
  }

  void constant() {
    const auto same = quantities([](const QuantitySummary& s) { return s.constant; });
    if (same.empty()) return;
    add(fmt::format("Constant: one value in all draws of {}.", count_quantities(same)),
        "No chain has moved, or the quantity is a constant of the model; then leave it out of the draws.");
  }

  void still() {
    const std::size_t window = std::min(file_.draws, still_draws);
    if (window < least_still_draws) return;
    if (std::all_of(summaries_.begin(), summaries_.end(), [](const QuantitySummary& s) { return s.constant; })) return;
    const auto stuck = chains([&](std::size_t c) {
      for (std::size_t i = 0; i < summaries_.size(); ++i) {
        const double* end = draws_of(i, c) + file_.draws;
        for (const double* x = end - window + 1; x < end; ++x) {
          if (x[0] != x[-1] && !(std::isnan(x[0]) && std::isnan(x[-1]))) return false;
        }
      }
      return true;
    });
    if (stuck.empty()) return;
    add(fmt::format("Stuck: no move in the last {} draws of {}.", window, count_chains(stuck)),
        "Every proposal was rejected; lengthen warm-up, start nearer, or reparametrise the model.");
  }

  void identical() {
    std::vector<std::size_t> order(file_.chains);
    for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
    // -1, 0 or 1, as of two words; NaNs are equal.
    const auto compare = [&](std::size_t a, std::size_t b) {
      for (std::size_t i = 0; i < summaries_.size(); ++i) {
        const double *x = draws_of(i, a), *y = draws_of(i, b);
        for (std::size_t t = 0; t < file_.draws; ++t) {
          if (x[t] == y[t] || (std::isnan(x[t]) && std::isnan(y[t]))) continue;
          if (std::isnan(x[t]) || std::isnan(y[t])) return std::isnan(x[t]) ? -1 : 1;
          return x[t] < y[t] ? -1 : 1;
        }
      }
      return 0;
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
    std::set<std::size_t> twins;
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (compare(order[i - 1], order[i]) == 0) twins.insert({order[i - 1], order[i]});
    }
    if (twins.empty() || quantities([](const QuantitySummary& s) { return !s.constant; }).empty()) return;
    add(fmt::format("Identical: the same draws as in another chain, in {}.",
                    count_chains(chains([&](std::size_t c) { return twins.count(c) > 0; }))),
        "They say nothing new; give chains of one seed different ids, and each file once.");
  }

  /// Names of the quantities for which `holds(value)`, the largest of `sign` times the value first;
  /// NaN before all.
  template <class Of, class Holds>
  std::vector<std::string> worst_first(const Of& of, const Holds& holds, double sign, double& worst) const {
    std::vector<std::pair<double, std::size_t>> found;
    for (std::size_t i = 0; i < summaries_.size(); ++i) {
      if (judged(summaries_[i]) && holds(of(summaries_[i]))) found.emplace_back(of(summaries_[i]), i);
    }
    std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
      if (std::isnan(a.first) != std::isnan(b.first)) return std::isnan(a.first);
      return sign * a.first > sign * b.first;
    });
    std::vector<std::string> names;
    for (const auto& [value, i] : found) names.push_back(file_.names[i]);
    if (!found.empty()) worst = found[0].first;
    return names;
  }

  void rhat() {
    double largest = 0;
    const auto apart = worst_first([](const QuantitySummary& s) { return s.rhat; },
                                   [](double rhat) { return !(rhat < rhat_limit); }, 1, largest);
    if (apart.empty()) return;
    add(fmt::format("R-hat: not below {} for {}; the largest is {:.4g}.", rhat_limit, count_quantities(apart), largest),
        "The chains do not agree yet; lengthen warm-up and run on. If that does not help, the posterior has several "
        "modes.");
  }

  void ess(const char* name, double (*of)(const QuantitySummary&), const char* meaning) {
    double least = 0;
    const auto few = worst_first(
        of, [](double ess) { return ess <= ess_limit; }, -1, least);
    if (!few.empty()) {
      add(fmt::format("{}: not above {} for {}; the smallest is {:.0f}, so that {}.", name, ess_limit,
                      count_quantities(few), least, meaning),
          "Take more draws, more chains, or a sampler that mixes faster.");
    }
    const auto undefined = quantities([&](const QuantitySummary& s) { return judged(s) && !std::isfinite(of(s)); });
    if (undefined.empty()) return;
    add(fmt::format("{}: not defined for {}.", name, count_quantities(undefined)),
        "They take too few values for it; judge them by themselves.");
  }

  /// A note alone: of four chains it follows from the limit of the bulk ESS, and of thousands the sum is what counts.
  void few_a_chain() {
    double least = 0;
    const auto chains = static_cast<double>(file_.chains);
    const auto few = worst_first([](const QuantitySummary& s) { return s.ess_bulk; },
                                 [&](double ess) { return ess > ess_limit && ess < ess_a_chain * chains; }, -1, least);
    if (few.empty()) return;
    add(fmt::format("Effective draws: below {} a chain for {}; the smallest is {:.2g} a chain.", ess_a_chain,
                    count_quantities(few), least / chains),
        "The sum over chains is enough; but chains so short tell little of themselves, and R-hat little of whether "
        "their "
        "starts are forgotten. Superchains and nested R-hat do.",
        false);
  }

  void energy() {
    const auto energies = file_.stat("energy");
    if (!energies) return;
    const std::vector<double> fractions = diagnostics::ebfmi(*energies);
    const auto low = chains([&](std::size_t c) { return fractions[c] < diagnostics::ebfmi_limit; });
    if (!low.empty()) {
      double least = INFINITY;
      for (const double f : fractions) least = f < least ? f : least;
      add(fmt::format("E-BFMI: below {} in {}; the smallest is {:.2g}.", diagnostics::ebfmi_limit, count_chains(low),
                      least),
          "The tails of the energy are hardly visited; reparametrise the model (a funnel?).");
    }
    const auto undefined = chains([&](std::size_t c) { return !std::isfinite(fractions[c]); });
    if (undefined.empty()) return;
    add(fmt::format("E-BFMI: not defined in {}; the energies are constant or not finite.", count_chains(undefined)),
        "Look at these chains first.");
  }

  /// Counts the draws that `holds` of a statistic; names the chains.
  std::size_t count_draws(const QuantityView& x, const std::function<bool(double)>& holds, std::string& in) const {
    std::size_t all = 0;
    in = count_chains(chains([&](std::size_t c) {
      std::size_t here = 0;
      for (std::size_t t = 0; t < x.draws; ++t) here += holds(x(t, c)) ? 1 : 0;
      all += here;
      return here > 0;
    }));
    return all;
  }

  void divergences() {
    const auto diverging = file_.stat("diverging");
    if (!diverging) return;
    std::string in;
    const std::size_t found = count_draws(
        *diverging, [](double d) { return d != 0; }, in);
    if (found == 0) return;
    add(fmt::format("Divergences: {} of {} transitions ({:.2g} %), in {}.", found, file_.draws * file_.chains,
                    100 * double(found) / double(file_.draws * file_.chains), in),
        "The posterior is too curved there for the step size, so that draws miss a part of it; take a smaller step "
        "(adapt_delta), or reparametrise the model.");
  }

  void depth() {
    std::string in;
    std::size_t found = 0;
    if (const auto reached = file_.stat("reached_max_treedepth")) {
      found = count_draws(
          *reached, [](double d) { return d != 0; }, in);
    } else if (const auto depths = file_.stat("tree_depth"); depths && file_.max_depth) {
      found = count_draws(
          *depths, [&](double d) { return d >= *file_.max_depth; }, in);
    }
    if (found == 0) return;
    add(fmt::format("Tree depth: {} of {} trajectories reached the largest, in {}.", found, file_.draws * file_.chains,
                    in),
        "They were cut short, which costs speed and no trust; allow deeper trees.", false);
  }

  const DrawsFile& file_;
  const std::vector<QuantitySummary>& summaries_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> judge(const DrawsFile& file, const std::vector<QuantitySummary>& summaries) {
  return Judge(file, summaries)();
}

}  // namespace manychain::cli
