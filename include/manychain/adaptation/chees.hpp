// ChEES (Hoffman, Radul and Sountsov 2021): the length of trajectories that changes |x - E x|^2 most. The criterion is
//   1/4 E[(|x' - E x'|^2 - |x - E x|^2)^2],
// x whitened, x' the proposal. Its gradient by log T of one chain is
//   h T (|x'_c|^2 - |x_c|^2) <x'_c, v'>,
// c for centred by the mean over chains (that of proposals weighted by acceptance), v' the momentum at the end and h
// the jitter of the transition. Log T climbs by steps normalised with a running second moment, without momentum, and
// what is used in the end is an average of its iterates (there, section 4).
#pragma once

#include "manychain/adaptation/windowed.hpp"
#include "manychain/samplers/trajectory.hpp"

namespace manychain {

struct Chees {
  static constexpr AdaptationInfo info{.name = "chees",
                                       .description = "windowed, and the length of trajectories by ChEES",
                                       .target_acceptance = 0.651,
                                       .trajectory = true,
                                       .observes = true};
  static constexpr int passes = 2;
  using Statistic = WeightedSum;
  static constexpr double learning_rate = 0.025, decay = 0.95, longest_move = 0.35, least_acceptance = 1e-4;

  Windowed windowed;
  double log_trajectory = 0, log_average = 0, second_moment = 0;
  std::int64_t updates = 0;
  bool learning = false;  ///< in this phase; in the others T stays

  /// First the acceptance of the step size, the means of x, the means of x'; then the gradient.
  MANYCHAIN_HD static int items(int pass, int dimension) { return pass == 0 ? 1 + 2 * dimension : 1; }

  template <class Number>
  MANYCHAIN_HD WeightedSum observe(int pass, int item, const ObservedChain<Number>& chain,
                                   const ObservedGroup<Number, WeightedSum>& group) const {
    if (pass == 0 && item == 0) return windowed.observe(pass, item, chain, group);
    if (!learning) return {};
    const double acceptance = chain.acceptance();
    if (pass == 0) {
      const int i = (item - 1) % group.dimension;
      if (item <= group.dimension) return {chain.before(i), 1};
      const double there = chain.proposal(i);
      return usable(acceptance, there) ? WeightedSum{acceptance * there, acceptance} : WeightedSum{};
    }
    const Statistic* const mean = group.pooled[0] + 1;
    double change = 0, along = 0;
    for (int i = 0; i < group.dimension; ++i) {
      if (group.scale[i] == Number(0)) continue;  // not moved by trajectories
      const double scale = static_cast<double>(group.scale[i]);
      const double x = (chain.before(i) - mean[i].mean()) / scale;
      const double there = (chain.proposal(i) - mean[group.dimension + i].mean()) / scale;
      change += there * there - x * x;
      along += there * chain.momentum(i);
    }
    return usable(acceptance, change * along) ? WeightedSum{acceptance * change * along, acceptance} : WeightedSum{};
  }

  template <class Number, class Tuning>
  MANYCHAIN_HD void update(const ObservedGroup<Number, WeightedSum>& group, Tuning& tuning) {
    const double longest = static_cast<double>(tuning.leapfrog_limit) * static_cast<double>(tuning.step_size);
    windowed.update(group, tuning);
    const WeightedSum& gradient = group.pooled[1][0];
    if (learning && gradient.weight > 0) {
      const double g =
          static_cast<double>(trajectory_jitter(group.transition)) * std::exp(log_trajectory) * gradient.mean();
      const double t = static_cast<double>(++updates);
      second_moment = decay * second_moment + (1 - decay) * g * g;
      const double unbiased = second_moment / (1 - std::pow(decay, t));
      const double move = learning_rate * g / std::sqrt(unbiased + 1e-20);
      log_trajectory += move > longest_move ? longest_move : move < -longest_move ? -longest_move : move;
      if (log_trajectory > std::log(longest)) log_trajectory = std::log(longest);
      const double weight = 1 / std::sqrt(t);
      log_average = weight * log_trajectory + (1 - weight) * log_average;
    }
    tuning.trajectory = static_cast<Number>(std::exp(log_trajectory));
  }

  static std::vector<WarmupPhase> phases(const AdaptationPlan& plan) { return Windowed::phases(plan); }
  void begin(const WarmupPhase& phase, const AdaptationPlan& plan, GroupTuning& tuning) {
    windowed.begin(phase, plan, tuning);
    log_trajectory = log_average = std::log(tuning.trajectory);
    second_moment = 0;
    updates = 0;
    // Chains that travel say nothing of the posterior; in the end the step size is tuned for the trajectory there is.
    learning = phase.update_metric;
  }
  void end(const WarmupPhase& phase, GroupTuning& tuning) const {
    windowed.end(phase, tuning);
    tuning.trajectory = std::exp(log_average);
  }

 private:
  MANYCHAIN_HD static bool usable(double acceptance, double value) {
    return acceptance > least_acceptance && value - value == 0;  // finite
  }
};
static_assert(Adaptation<Chees>);

}  // namespace manychain
