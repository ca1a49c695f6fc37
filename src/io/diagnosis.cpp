// Facts about draws from files, for the verdict: what is found in the draws alone.
#include "manychain/io/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>

#include "diagnostics/at_once.hpp"
#include "diagnostics/from_draws.hpp"

namespace manychain {
namespace {

using diagnostics::Facts;
using diagnostics::QuantitySummary;
using diagnostics::QuantityView;

constexpr std::size_t stuck_draws = 100;  // a chain that has not moved for so many is stuck
constexpr std::size_t least_stuck_draws = 10;

class Finder {
 public:
  explicit Finder(const DrawsFile& file)
      : file_(file),
        window_(std::min(file.draws, stuck_draws)),
        nonfinite_(file.chains, false),
        stuck_(file.chains, true),
        alike_(file.chains, 0) {}

  /// The next quantity: its draws, [chain][draw]. A run has seen all of its transitions, and gave each chain a random
  /// stream of its own: nothing need be found.
  void look(const QuantitySummary& summary, const double* draws) {
    if (file_.run) return;
    not_finite(summary, draws);
    stuck(draws);
    identical(draws);
  }

  /// Behind the last one.
  Facts operator()(const std::vector<QuantitySummary>& summary) {
    facts_.chains = file_.chains;
    facts_.draws = file_.draws;
    facts_.chain_names = file_.chain_names;
    for (std::size_t i = 0; i < summary.size(); ++i) facts_.summary.push_back({file_.names[i], summary[i]});
    facts_.cancelled = file_.cancelled;
    facts_.draws_planned = file_.draws_planned;
    facts_.run = file_.run;
    facts_.file.faults = file_.faults;
    energy();
    if (file_.run) return std::move(facts_);
    facts_.file.nonfinite_chains = chains([&](std::size_t c) { return nonfinite_[c]; });
    // No chain of constants can be told from another, and none that moves from one that is stuck.
    if (!std::all_of(summary.begin(), summary.end(), [](const QuantitySummary& s) { return s.constant; })) {
      if (window_ >= least_stuck_draws) {
        facts_.file.stuck_draws = window_;
        facts_.file.stuck_chains = chains([&](std::size_t c) { return stuck_[c]; });
      }
      std::vector<std::size_t> count(file_.chains, 0);
      for (const std::size_t number : alike_) ++count[number];
      facts_.file.identical_chains = chains([&](std::size_t c) { return count[alike_[c]] > 1; });
    }
    divergences();
    depth();
    return std::move(facts_);
  }

 private:
  using Chains = std::vector<std::size_t>;

  Chains chains(const std::function<bool(std::size_t)>& holds) const {
    Chains found;
    for (std::size_t c = 0; c < file_.chains; ++c)
      if (holds(c)) found.push_back(c);
    return found;
  }
  const double* of_chain(const double* draws, std::size_t c) const { return draws + c * file_.draws; }

  void energy() {
    if (const auto energies = file_.stat("energy"))
      facts_.ebfmi = diagnostics::ebfmi(*energies);
    else if (!file_.run || file_.run->momenta)
      facts_.file.unseen.push_back("the energy (E-BFMI)");
  }

  void not_finite(const QuantitySummary& summary, const double* draws) {
    if (summary.not_finite == 0) return;
    for (std::size_t c = 0; c < file_.chains; ++c) {
      const double* const x = of_chain(draws, c);
      if (!std::all_of(x, x + file_.draws, [](double v) { return std::isfinite(v); })) nonfinite_[c] = true;
    }
  }

  void stuck(const double* draws) {
    for (std::size_t c = 0; c < file_.chains; ++c) {
      const double* const end = of_chain(draws, c) + file_.draws;
      for (const double* x = end - window_ + 1; stuck_[c] && x < end; ++x)
        if (x[0] != x[-1] && !(std::isnan(x[0]) && std::isnan(x[-1]))) stuck_[c] = false;
    }
  }

  /// Chains that were alike so far, and differ in this quantity, get numbers of their own.
  void identical(const double* draws) {
    if (all_differ_) return;
    // -1, 0 or 1, as of two words; NaNs are equal.
    const auto compare = [&](std::size_t a, std::size_t b) {
      if (alike_[a] != alike_[b]) return alike_[a] < alike_[b] ? -1 : 1;
      const double *x = of_chain(draws, a), *y = of_chain(draws, b);
      for (std::size_t t = 0; t < file_.draws; ++t) {
        if (x[t] == y[t] || (std::isnan(x[t]) && std::isnan(y[t]))) continue;
        if (std::isnan(x[t]) || std::isnan(y[t])) return std::isnan(x[t]) ? -1 : 1;
        return x[t] < y[t] ? -1 : 1;
      }
      return 0;
    };
    Chains order(file_.chains);
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
    Chains number(file_.chains, 0);
    for (std::size_t i = 1; i < order.size(); ++i)
      number[order[i]] = number[order[i - 1]] + (compare(order[i - 1], order[i]) == 0 ? 0 : 1);
    alike_ = std::move(number);
    all_differ_ = !order.empty() && alike_[order.back()] + 1 == file_.chains;
  }

  /// Chains with draws for which `holds` is true of a statistic; counts these draws.
  Chains with(const QuantityView& x, const std::function<bool(double)>& holds, std::uint64_t& all) const {
    return chains([&](std::size_t c) {
      std::uint64_t here = 0;
      for (std::size_t t = 0; t < x.draws; ++t) here += holds(x(t, c)) ? 1 : 0;
      all += here;
      return here > 0;
    });
  }

  void divergences() {
    const auto diverging = file_.stat("diverging");
    if (!diverging) {
      facts_.file.unseen.insert(facts_.file.unseen.begin(), "divergences");
      return;
    }
    facts_.file.divergent_chains = with(
        *diverging, [](double d) { return d != 0; }, facts_.file.divergences);
  }

  void depth() {
    if (const auto reached = file_.stat("reached_max_treedepth")) {
      facts_.file.deep_chains = with(
          *reached, [](double d) { return d != 0; }, facts_.file.deep_trajectories);
    } else if (const auto depths = file_.stat("tree_depth"); depths && file_.max_depth) {
      facts_.file.deep_chains = with(
          *depths, [&](double d) { return d >= *file_.max_depth; }, facts_.file.deep_trajectories);
    }
  }

  const DrawsFile& file_;
  std::size_t window_;  ///< draws in which a chain that does not move is stuck
  std::vector<bool> nonfinite_, stuck_;
  Chains alike_;  ///< chains of the same number have the same draws so far
  bool all_differ_ = false;
  Facts facts_;
};

}  // namespace

Diagnosis diagnose(DrawsFile file, int threads) {
  Diagnosis diagnosis;
  const std::size_t superchains = file.run ? file.run->superchains : 0;
  const std::size_t all = file.names.size();
  diagnostics::AtOnce now{std::max<std::size_t>(all, 1), threads};
  if (file.numbers)
    now = diagnostics::at_once(double(file.draws) * double(file.chains), sizeof(double), all, file.memory, threads);
  Finder find(file);
  for (std::size_t first = 0; first < all; first += now.variables) {
    const std::size_t count = std::min(now.variables, all - first);
    const std::shared_ptr<const double[]> draws = file.quantities(first, count);
    const DrawsView<double> view = file.view_of(draws.get(), count);
    std::vector<QuantitySummary> some = diagnostics::summarise_quantities(view, now.threads, superchains);
    std::vector<VariableSummary*> rows;
    for (QuantitySummary& row : some) rows.push_back(&row);
    diagnostics::add_from_draws(view, rows, superchains, now.threads, nullptr, file.run ? file.run->groups : 1);
    for (std::size_t i = 0; i < count; ++i) find.look(some[i], draws.get() + i * file.chains * file.draws);
    diagnosis.summary.insert(diagnosis.summary.end(), some.begin(), some.end());
  }
  diagnosis.verdict = diagnostics::judge(find(diagnosis.summary));
  diagnosis.file = std::move(file);
  return diagnosis;
}

}  // namespace manychain
