// ChEES (Hoffman, Radul and Sountsov 2021): the length of trajectories that changes |x - E x|^2 most per time. The
// criterion is 1/4 E[(|x' - E x'|^2 - |x - E x|^2)^2] / (h T + eps), x in the coordinates that the metric makes, x' the
// proposal (adaptation/trajectory_ascent.hpp).
#pragma once

#include "manychain/adaptation/trajectory_ascent.hpp"

namespace manychain {

struct Chees {
  static constexpr AdaptationInfo info{.name = "chees",
                                       .description = "windowed, and the length of trajectories by ChEES",
                                       .target_acceptance = 0.651,
                                       .trajectory = true,
                                       .observes = true};
  static constexpr int passes = 2;
  using Statistic = WeightedSum;
  static constexpr AscentRates rates{.learning_rate = 0.025, .decay = 0.95};

  TrajectoryAscent ascent;

  /// In the second pass the gradient alone.
  MANYCHAIN_HD static int items(int pass, int dimension) { return pass == 0 ? TrajectoryAscent::items(dimension) : 1; }

  template <class Number>
  MANYCHAIN_HD WeightedSum observe(int pass, int item, const ObservedChain<Number>& chain,
                                   const ObservedGroup<Number, WeightedSum>& group) const {
    if (pass == 0) return ascent.observe(item, chain, group);
    if (!ascent.learning) return {};
    return ascent.gradient(chain.acceptance(), moved(chain, group), group.transition);
  }
  template <class Number, class Tuning>
  MANYCHAIN_HD void update(const ObservedGroup<Number, WeightedSum>& group, Tuning& tuning) {
    ascent.update(group.pooled[1][0], rates, group, tuning);
  }
  static std::vector<WarmupPhase> phases(const AdaptationPlan& plan) { return Windowed::phases(plan); }
  void begin(const WarmupPhase& phase, const AdaptationPlan& plan, GroupTuning& tuning) {
    ascent.begin(phase, plan, tuning);
  }
  void end(const WarmupPhase& phase, GroupTuning& tuning) const { ascent.end(phase, tuning); }

 private:
  /// f(x) = |y|^2, y = S^-1 z the whitened position, z in units of the scales, and the whitened velocity w = S^-1 u, u
  /// what is observed: <y, w> = <z, u> + sum over directions of (1/lambda - 1) (U'z) (U'u).
  template <class Number>
  MANYCHAIN_HD static TrajectoryChange moved(const ObservedChain<Number>& chain,
                                             const ObservedGroup<Number, WeightedSum>& group) {
    const TrajectoryAscent::Centred<Number> centred{chain, group};
    TrajectoryChange moved{0, 0};
    for (int i = 0; i < group.dimension; ++i) {
      if (!centred.moved(i)) continue;
      const double before = centred.before(i), there = centred.proposal(i);
      moved.change += there * there - before * before;
      moved.along += (there * chain.momentum(i) + before * chain.first_momentum(i)) / 2;
    }
    for (int j = 0; j < group.metric.rank; ++j) {
      const Number* const direction = group.metric.directions + j * group.dimension;
      double before = 0, there = 0, momentum = 0, first_momentum = 0;
      for (int i = 0; i < group.dimension; ++i) {
        if (!centred.moved(i)) continue;
        const double u = static_cast<double>(direction[i]);
        before += u * centred.before(i);
        there += u * centred.proposal(i);
        momentum += u * chain.momentum(i);
        first_momentum += u * chain.first_momentum(i);
      }
      const double excess = group.metric.excess(j);
      moved.change += excess * (there * there - before * before);
      moved.along += excess * (there * momentum + before * first_momentum) / 2;
    }
    return moved;
  }
};
static_assert(Adaptation<Chees>);

}  // namespace manychain
