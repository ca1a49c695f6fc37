// The default adaptation: the step size by dual averaging of the acceptance probability pooled over chains, the scales
// at the ends of windows that grow.
#pragma once

#include <algorithm>
#include <cmath>

#include "manychain/adaptation/adaptation.hpp"
#include "manychain/adaptation/dual_averaging.hpp"

namespace manychain {

struct Windowed {
  static constexpr AdaptationInfo info{.name = "windowed", .description = "step size and scales, in windows that grow"};
  static constexpr int passes = 1;
  using Statistic = WeightedSum;

  DualAveraging averaging;

  MANYCHAIN_HD static int items(int, int) { return 1; }
  template <class Number>
  MANYCHAIN_HD WeightedSum observe(int, int, const ObservedChain<Number>& chain,
                                   const ObservedGroup<Number, WeightedSum>&) const {
    return {DualAveraging::term(chain.acceptance(), averaging.harmonic), 1};
  }
  template <class Number, class Tuning>
  MANYCHAIN_HD void update(const ObservedGroup<Number, WeightedSum>& group, Tuning& tuning) {
    averaging.update(DualAveraging::pooled(group.pooled[0][0].mean(), averaging.harmonic));
    tuning.step_size = static_cast<Number>(std::exp(averaging.log_step));
  }

  static std::vector<WarmupPhase> phases(const AdaptationPlan& plan) {
    return warmup_schedule(plan.warmup, plan.max_leapfrogs);
  }
  void begin(const WarmupPhase& phase, const AdaptationPlan& plan, GroupTuning& tuning) {
    // The harmonic mean is for rates near one: Metropolis' 0.234 as a harmonic mean is a rate of about one half.
    const bool harmonic = phase.harmonic && plan.trajectory;
    // While scales are unknown, caution beyond Stan's 0.8 costs more leapfrogs than it saves.
    averaging = phase.refine
                    ? DualAveraging::refining(tuning.step_size, plan.target_acceptance, harmonic)
                    : DualAveraging::starting_at(tuning.step_size, std::min(plan.target_acceptance, 0.8), harmonic);
    tuning.step_size = std::exp(averaging.log_step);
    tuning.leapfrog_limit = static_cast<std::uint32_t>(std::min(phase.leapfrog_limit, plan.max_leapfrogs));
  }
  void end(const WarmupPhase&, GroupTuning& tuning) const { tuning.step_size = std::exp(averaging.log_step_average); }
};
static_assert(Adaptation<Windowed>);

}  // namespace manychain
