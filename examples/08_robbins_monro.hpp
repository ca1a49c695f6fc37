// An adaptation of one's own: the step size by the recursion of Robbins and Monro (1951),
//   log step += 2 t^-0.6 (acceptance probability - target),  t = 1, 2, ...
// (for one chain: Andrieu and Thoms 2008, algorithm 4). The acceptance probability is the mean over all chains of the
// group, which has so little noise that the last iterate needs no averaging.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "manychain/adaptation/adaptation.hpp"

struct RobbinsMonro {
  static constexpr manychain::AdaptationInfo info{.name = "robbins_monro",
                                                  .description = "step size by Robbins and Monro, scales once"};
  static constexpr int passes = 1;
  using Statistic = manychain::WeightedSum;

  double target = 0.5, log_step = 0;
  std::int64_t updates = 0;  // of this phase

  MANYCHAIN_HD static int items(int, int) { return 1; }
  template <class Number>
  MANYCHAIN_HD Statistic observe(int, int, const manychain::ObservedChain<Number>& chain,
                                 const manychain::ObservedGroup<Number, Statistic>&) const {
    return {chain.acceptance(), 1};
  }
  template <class Number, class Tuning>
  MANYCHAIN_HD void update(const manychain::ObservedGroup<Number, Statistic>& group, Tuning& tuning) {
    const double gain = 2 * std::pow(static_cast<double>(++updates), -0.6);
    log_step += gain * (group.pooled[0][0].mean() - target);
    tuning.step_size = static_cast<Number>(std::exp(log_step));
  }

  /// Chains travel; then their scales are estimated, while the step size follows; last the step size for these scales.
  static std::vector<manychain::WarmupPhase> phases(const manychain::AdaptationPlan& plan) {
    const std::size_t travel = 4 * plan.warmup / 10, last = 2 * plan.warmup / 10;
    std::vector<manychain::WarmupPhase> phases(3);
    phases[0].transitions = travel;
    phases[1].transitions = plan.warmup - travel - last;
    phases[1].update_metric = true;
    phases[2].transitions = last;
    return phases;
  }
  void begin(const manychain::WarmupPhase&, const manychain::AdaptationPlan& plan, manychain::GroupTuning& tuning) {
    target = plan.target_acceptance;
    log_step = std::log(tuning.step_size);
    updates = 0;
  }
  void end(const manychain::WarmupPhase&, manychain::GroupTuning& tuning) const {
    tuning.step_size = std::exp(log_step);
  }
};
