// The phases of warm-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace manychain {

struct WarmupPhase {
  std::size_t transitions = 0;
  bool harmonic = false;                  ///< how acceptance probabilities are pooled
  bool update_metric = false;             ///< at its end, from the variance over its transitions of all chains
  bool refine = false;                    ///< the step size is nearly right already
  std::size_t leapfrog_limit = SIZE_MAX;  ///< steps of a trajectory; the plan's limit holds beside it
};

/// As in Stan (Reference Manual, "Automatic parameter tuning"), chains travel first, then the metric is estimated in
/// windows that grow, last the step size alone is tuned. What differs is due to many chains:
/// - Travelling takes 16 %, in two rounds of 3 % with the arithmetic mean of acceptance probabilities and 5 % with the
///   harmonic one. The first finds a step for most chains; the second shrinks it until the chains move that the first
///   left behind, because they started where the density is much steeper.
/// - Windows grow by half instead of doubling, from 4 %: all chains together tell a scale within few transitions, and
///   each window corrects what the last one saw of chains that were still arriving.
/// Trajectories are kept short until the metric knows the scales.
std::vector<WarmupPhase> warmup_schedule(std::size_t warmup, std::size_t max_leapfrogs);

/// Variance estimates shrunk towards a small constant as in Stan: with n values, n/(n+5) var + 5/(n+5) 1e-3; but a
/// variance below that is left as it is, for it is what the parameter's unit makes it.
double shrunk_variance(double variance, double count);

}  // namespace manychain
