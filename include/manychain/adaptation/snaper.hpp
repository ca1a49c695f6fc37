// SNAPER (Sountsov and Hoffman 2021): the length of trajectories that changes the square of the slowest direction most
// per time. The criterion is 1/4 E[((p.(y' - E y'))^2 - (p.(y - E y))^2)^2] / (h T + eps), y the position in the
// coordinates that the metric makes, y' the proposal (adaptation/trajectory_ascent.hpp), p the leading eigenvector of
// the covariance of y, which Oja's rule finds from all chains of a transition at a time (there, algorithm 2):
//   q = sum over chains of (p.(y - E y)) (y - E y),   p <- normalised p + (q / |q| - p) / (n + 1),
// n growing by one up to an eighth of the updates there were, so that chains that still arrived are forgotten.
//
// With z the position in units of the scales and y = S^-1 z (samplers/low_rank.hpp), p = S^-1 r for an r that is held
// in units of the scales: p.y = <S^-2 r, z>, and the rule for p becomes r <- sum of (p.y) z. |r| is one, not |p|, and
// does not change where r has settled; the ascent does not ask for the length.
#pragma once

#include "manychain/adaptation/trajectory_ascent.hpp"

namespace manychain {

struct Snaper {
  static constexpr AdaptationInfo info{.name = "snaper",
                                       .description = "windowed, and the length of trajectories by SNAPER",
                                       .target_acceptance = 0.8,
                                       .trajectory = true,
                                       .observes = true};
  static constexpr int passes = 2;
  using Statistic = WeightedSum;
  static constexpr AscentRates rates{.learning_rate = 0.05, .decay = 0.5};

  TrajectoryAscent ascent;
  std::int64_t turns = 0;     ///< updates of the direction, of all phases
  std::int64_t averaged = 0;  ///< how many of them it holds

  /// In the first pass p.y of each chain besides, in the second the gradient and q.
  MANYCHAIN_HD static int items(int pass, int dimension) {
    return pass == 0 ? TrajectoryAscent::items(dimension) + 1 : 1 + dimension;
  }
  /// r, then S^-2 r.
  MANYCHAIN_HD static int memory(int dimension) { return 2 * dimension; }

  template <class Number>
  MANYCHAIN_HD WeightedSum observe(int pass, int item, const ObservedChain<Number>& chain,
                                   const ObservedGroup<Number, WeightedSum>& group) const {
    const int projection = TrajectoryAscent::items(group.dimension);
    if (pass == 0 && item < projection) return ascent.observe(item, chain, group);
    if (!ascent.learning) return {};
    if (pass == 0) {
      double along = 0;
      for (int i = 0; i < group.dimension; ++i)
        if (group.scale[i] != Number(0))
          along += weight(i, group) * chain.before(i) / static_cast<double>(group.scale[i]);
      chain.note() = along;
      return {along, 1};
    }
    const TrajectoryAscent::Centred<Number> centred{chain, group};
    if (item > 0) {
      const double along = chain.note() - group.pooled[0][projection].mean();
      return centred.moved(item - 1) ? WeightedSum{along * centred.before(item - 1), 1} : WeightedSum{};
    }
    double before = 0, there = 0, momentum = 0, first_momentum = 0;
    for (int i = 0; i < group.dimension; ++i) {
      if (!centred.moved(i)) continue;
      const double p = weight(i, group);
      before += p * centred.before(i);
      there += p * centred.proposal(i);
      momentum += p * chain.momentum(i);
      first_momentum += p * chain.first_momentum(i);
    }
    return ascent.gradient(chain.acceptance(),
                           {there * there - before * before, (there * momentum + before * first_momentum) / 2},
                           group.transition);
  }
  template <class Number, class Tuning>
  MANYCHAIN_HD void update(const ObservedGroup<Number, WeightedSum>& group, Tuning& tuning) {
    ascent.update(group.pooled[1][0], rates, group, tuning);
    if (ascent.learning) turn(group);
  }
  static std::vector<WarmupPhase> phases(const AdaptationPlan& plan) { return Windowed::phases(plan); }
  void begin(const WarmupPhase& phase, const AdaptationPlan& plan, GroupTuning& tuning) {
    ascent.begin(phase, plan, tuning);
    averaged = 0;  // a new metric has another direction, which the old one finds soon
  }
  void end(const WarmupPhase& phase, GroupTuning& tuning) const { ascent.end(phase, tuning); }

 private:
  /// The weight of component i in p.y; before the first update that of a direction that no symmetry of a posterior has.
  template <class Number>
  MANYCHAIN_HD double weight(int i, const ObservedGroup<Number, WeightedSum>& group) const {
    if (turns > 0) return group.memory[group.dimension + i];
    const double spread = 0.6180339887498949 * (i + 1);
    return spread - std::floor(spread) - 0.5;
  }
  /// One thread does it: some 2 (rank + 2) dimension operations.
  template <class Number>
  MANYCHAIN_HD void turn(const ObservedGroup<Number, WeightedSum>& group) {
    const int d = group.dimension;
    double* const r = group.memory;
    double* const weights = group.memory + d;
    const Statistic* const q = group.pooled[1] + 1;
    double length = 0;
    for (int i = 0; i < d; ++i) length += q[i].weight > 0 ? q[i].mean() * q[i].mean() : 0;
    if (!(length > 0) || !(length - length == 0)) return;
    length = std::sqrt(length);
    const double gain = 1 / static_cast<double>(averaged + 1);
    double squares = 0;
    for (int i = 0; i < d; ++i) {
      r[i] += gain * ((q[i].weight > 0 ? q[i].mean() / length : 0) - r[i]);
      squares += r[i] * r[i];
    }
    for (int i = 0; i < d; ++i) weights[i] = r[i] /= std::sqrt(squares);
    for (int j = 0; j < group.metric.rank; ++j) {
      const Number* const direction = group.metric.directions + j * d;
      double along = 0;
      for (int i = 0; i < d; ++i) along += static_cast<double>(direction[i]) * r[i];
      along *= group.metric.excess(j);
      for (int i = 0; i < d; ++i) weights[i] += along * static_cast<double>(direction[i]);
    }
    const std::int64_t most = ++turns / 8 > 1 ? turns / 8 : 1;
    averaged = averaged + 1 < most ? averaged + 1 : most;
  }
};
static_assert(Adaptation<Snaper>);

}  // namespace manychain
