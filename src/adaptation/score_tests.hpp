// Which scales depend on which components, from scores alone: for densities whose statements nobody sees.
#pragma once

#include <vector>

#include "manychain/model/data/layout.hpp"

namespace manychain {

/// The most hypers of a leaf.
inline constexpr std::size_t scored_hypers_of_leaf = 2;

/// A structure that scores show, and where the fit of its masses begins.
struct ScoredScales {
  std::vector<DependentScale> leaves;  ///< by component; a hyper is no leaf
  /// [leaf][hyper] change of the log mass over a standard deviation of the hyper
  std::vector<std::vector<double>> slopes;
};

/// Score tests (Rao 1948) of H: the mass of leaf j does not change with component k. Its mean of log M + g^2 / M falls
/// by U^2 / (2 V) in one Newton step of the slope, with U = mean of w (1 - r), V = mean of w^2 r, w component k
/// standardised, r = g_j^2 / M. The component whose tests have the largest sum becomes a hyper, of those leaves that it
/// says enough of; then the masses are fitted, and the next one is looked for. `points`, `gradients`:
/// [point][dimension]. Components of `moved` that are false take no part. None where there are too few points, or too
/// many components, to tell.
ScoredScales scales_from_scores(const std::vector<double>& points, const std::vector<double>& gradients,
                                const std::vector<bool>& moved);

}  // namespace manychain
