// The common part of the adaptations of the length of trajectories: the means that positions are centred by, and the
// ascent on log T. They maximise the criterion per time,
//   E[C(x, x')] / (h T + eps),   C = (f(x') - f(x))^2 / 4,
// f a quadratic function of the position, x' where a trajectory of length h T ends, h the jitter of the transition and
// eps one step, since the number of steps is rounded up. Without that quotient trajectories a turn longer look as good.
// C changes with time by dC = (f(x') - f(x)) <grad f(x'), v'> / 2, and so does the same transition run backwards, from
// x' to x with the velocity -v, by (f(x') - f(x)) <grad f(x), v> / 2: their mean has less noise (Riou-Durand, Sountsov,
// Vogrinc, Margossian and Power 2023, section 4). By log T the criterion changes by
//   h T (dC / (h T + eps) - C / (h T + eps)^2).
// Chains count with the acceptance probability of what they proposed. Log T climbs by steps normalised with a running
// second moment, without momentum, and what is used in the end is an average of its iterates, with weights t^(-1/2)
// (Hoffman, Radul and Sountsov 2021, section 4; Sountsov and Hoffman 2021, algorithm 1).
#pragma once

#include "manychain/adaptation/windowed.hpp"
#include "manychain/samplers/trajectory.hpp"

namespace manychain {

/// The rates of the ascent: the largest steps of log T, and how the second moment of the gradient forgets.
struct AscentRates {
  double learning_rate, decay;
};

/// The change of a function f of the position in one transition of a chain: f(x') - f(x), and half the derivative of
/// f(x') by time, averaged with that of the way back.
struct TrajectoryChange {
  double change, along;
};

struct TrajectoryAscent {
  static constexpr double longest_move = 0.35, least_acceptance = 1e-4;

  Windowed windowed;
  double log_trajectory = 0, log_average = 0, second_moment = 0;
  double trajectory = 0, step_size = 0;  ///< of the transitions that are looked at
  std::int64_t updates = 0;
  bool leaves = false;    ///< some masses depend on position
  bool learning = false;  ///< in this phase; in the others T stays

  /// The items of the first pass: the acceptance of the step size, the means of x, the means of x'.
  MANYCHAIN_HD static int items(int dimension) { return 1 + 2 * dimension; }
  template <class Number>
  MANYCHAIN_HD WeightedSum observe(int item, const ObservedChain<Number>& chain,
                                   const ObservedGroup<Number, WeightedSum>& group) const {
    if (item == 0) return windowed.observe(0, item, chain, group);
    if (!learning) return {};
    const int i = (item - 1) % group.dimension;
    if (item <= group.dimension) return {chain.before(i), 1};
    return weighted(chain.acceptance(), chain.proposal(i));
  }

  /// Positions of the second pass, centred, in units of the scales.
  template <class Number>
  struct Centred {
    const ObservedChain<Number>& chain;
    const ObservedGroup<Number, WeightedSum>& group;
    MANYCHAIN_HD bool moved(int i) const { return group.scale[i] != Number(0); }  // by trajectories
    MANYCHAIN_HD double before(int i) const { return in_units(chain.before(i), i, i); }
    MANYCHAIN_HD double proposal(int i) const { return in_units(chain.proposal(i), group.dimension + i, i); }

   private:
    MANYCHAIN_HD double in_units(double x, int mean, int i) const {
      return (x - group.pooled[0][1 + mean].mean()) / static_cast<double>(group.scale[i]);
    }
  };

  /// The gradient by log T that the chain shows.
  MANYCHAIN_HD WeightedSum gradient(double acceptance, const TrajectoryChange& moved, std::uint64_t transition) const {
    const double time = static_cast<double>(trajectory_jitter(transition, shortest_jitter(leaves))) * trajectory,
                 per_time = 1 / (time + step_size);
    const double criterion = moved.change * moved.change / 4, derivative = moved.change * moved.along;
    return weighted(acceptance, time * per_time * (derivative - criterion * per_time));
  }

  template <class Number, class Tuning>
  MANYCHAIN_HD void update(const WeightedSum& gradient, AscentRates rates,
                           const ObservedGroup<Number, WeightedSum>& group, Tuning& tuning) {
    // Less than one step is one step, more than the limit is the limit: there T would run away.
    const double one_step = static_cast<double>(tuning.step_size);
    const double longest = static_cast<double>(tuning.leapfrog_limit) * one_step;
    windowed.update(group, tuning);
    if (learning && gradient.weight > 0) {
      const double g = gradient.mean(), t = static_cast<double>(++updates);
      second_moment = rates.decay * second_moment + (1 - rates.decay) * g * g;
      const double unbiased = second_moment / (1 - std::pow(rates.decay, t));
      const double move = rates.learning_rate * g / std::sqrt(unbiased + 1e-20);
      log_trajectory += move > longest_move ? longest_move : move < -longest_move ? -longest_move : move;
      if (log_trajectory < std::log(one_step)) log_trajectory = std::log(one_step);
      if (log_trajectory > std::log(longest)) log_trajectory = std::log(longest);
      const double weight = 1 / std::sqrt(t);
      log_average = weight * log_trajectory + (1 - weight) * log_average;
    }
    tuning.trajectory = static_cast<Number>(std::exp(log_trajectory));
    trajectory = static_cast<double>(tuning.trajectory);
    step_size = static_cast<double>(tuning.step_size);
  }

  void begin(const WarmupPhase& phase, const AdaptationPlan& plan, GroupTuning& tuning) {
    windowed.begin(phase, plan, tuning);
    log_trajectory = log_average = std::log(tuning.trajectory);
    trajectory = tuning.trajectory;
    step_size = tuning.step_size;
    leaves = tuning.leaves;
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
  MANYCHAIN_HD static WeightedSum weighted(double acceptance, double value) {
    const bool finite = value - value == 0;
    return acceptance > least_acceptance && finite ? WeightedSum{acceptance * value, acceptance} : WeightedSum{};
  }
};

}  // namespace manychain
