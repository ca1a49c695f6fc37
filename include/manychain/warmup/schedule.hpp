// The phases of warm-up.
#pragma once

#include <cstddef>
#include <vector>

namespace manychain {

struct WarmupPhase {
  std::size_t transitions = 0;
  bool harmonic = false;       ///< how acceptance probabilities are pooled
  bool update_metric = false;  ///< at its end, from the variance over its transitions of all chains
  std::size_t leapfrog_limit = 0;
};

/// As in Stan (Reference Manual, "Automatic parameter tuning"): an initial interval in which chains travel, windows
/// that double, a final interval for the step size alone; 15, 75 and 10 % of `warmup`. While chains travel trajectories
/// are kept short, because the metric does not yet know the scales.
std::vector<WarmupPhase> warmup_schedule(std::size_t warmup, bool adapt_metric, std::size_t max_leapfrogs);

/// Variance estimates shrunk towards a small constant as in Stan: with n values, n/(n+5) var + 5/(n+5) 1e-3.
double shrunk_variance(double variance, double count);

}  // namespace manychain
