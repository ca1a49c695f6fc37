// Facts about draws from files, for the verdict: what is found in the draws alone.
#include "manychain/io/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

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
  Finder(const DrawsFile& file, const std::vector<QuantitySummary>& summary) : file_(file), summary_(summary) {}

  Facts operator()() {
    facts_.chains = file_.chains;
    facts_.draws = file_.draws;
    facts_.chain_names = file_.chain_names;
    for (std::size_t i = 0; i < summary_.size(); ++i) facts_.summary.push_back({file_.names[i], summary_[i]});
    facts_.cancelled = file_.cancelled;
    facts_.draws_planned = file_.draws_planned;
    facts_.run = file_.run;
    facts_.file.faults = file_.faults;
    energy();
    // A run has seen all of its transitions, and gave each chain a random stream of its own.
    if (file_.run) return std::move(facts_);
    not_finite();
    stuck();
    identical();
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
  /// The draws of quantity i in chain c.
  const double* draws_of(std::size_t i, std::size_t c) const {
    return file_.values.get() + (i * file_.chains + c) * file_.draws;
  }
  /// No chain can be told from another, nor one that moves from one that is stuck.
  bool all_constant() const {
    return std::all_of(summary_.begin(), summary_.end(), [](const QuantitySummary& s) { return s.constant; });
  }

  void energy() {
    if (const auto energies = file_.stat("energy"))
      facts_.ebfmi = diagnostics::ebfmi(*energies);
    else if (!file_.run || file_.run->momenta)
      facts_.file.unseen.push_back("the energy (E-BFMI)");
  }

  void not_finite() {
    facts_.file.nonfinite_chains = chains([&](std::size_t c) {
      for (std::size_t i = 0; i < summary_.size(); ++i) {
        if (summary_[i].not_finite == 0) continue;
        const double* x = draws_of(i, c);
        if (!std::all_of(x, x + file_.draws, [](double v) { return std::isfinite(v); })) return true;
      }
      return false;
    });
  }

  void stuck() {
    const std::size_t window = std::min(file_.draws, stuck_draws);
    if (window < least_stuck_draws || all_constant()) return;
    facts_.file.stuck_draws = window;
    facts_.file.stuck_chains = chains([&](std::size_t c) {
      for (std::size_t i = 0; i < summary_.size(); ++i) {
        const double* end = draws_of(i, c) + file_.draws;
        for (const double* x = end - window + 1; x < end; ++x) {
          if (x[0] != x[-1] && !(std::isnan(x[0]) && std::isnan(x[-1]))) return false;
        }
      }
      return true;
    });
  }

  void identical() {
    if (all_constant()) return;
    Chains order(file_.chains);
    std::iota(order.begin(), order.end(), std::size_t(0));
    // -1, 0 or 1, as of two words; NaNs are equal.
    const auto compare = [&](std::size_t a, std::size_t b) {
      for (std::size_t i = 0; i < summary_.size(); ++i) {
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
    std::vector<bool> twin(file_.chains, false);
    for (std::size_t i = 1; i < order.size(); ++i)
      if (compare(order[i - 1], order[i]) == 0) twin[order[i - 1]] = twin[order[i]] = true;
    facts_.file.identical_chains = chains([&](std::size_t c) { return twin[c]; });
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
  const std::vector<QuantitySummary>& summary_;
  Facts facts_;
};

}  // namespace

Diagnosis diagnose(DrawsFile file, int threads) {
  Diagnosis diagnosis;
  const std::size_t superchains = file.run ? file.run->superchains : 0;
  diagnosis.summary = diagnostics::summarise_quantities(file.view(), threads, superchains);
  std::vector<VariableSummary*> rows;
  for (QuantitySummary& row : diagnosis.summary) rows.push_back(&row);
  diagnostics::add_from_draws(file.view(), rows, superchains, threads, nullptr, file.run ? file.run->groups : 1);
  diagnosis.verdict = diagnostics::judge(Finder(file, diagnosis.summary)());
  diagnosis.file = std::move(file);
  return diagnosis;
}

}  // namespace manychain
