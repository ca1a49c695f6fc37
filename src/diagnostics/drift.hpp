// Chains that have not forgotten their starts though they agree: all superchains may come from one mode, and go over to
// another one at the same pace. Nested R-hat compares superchains, and sees nothing. The first draws of all chains
// together lie elsewhere than later ones.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/diagnostics/draws.hpp"

namespace manychain::diagnostics {

/// The draws that are compared: some of the first tenth, and as many of the second half.
struct DrawsToCompare {
  std::vector<std::size_t> early, late;
};
DrawsToCompare draws_to_compare(std::size_t draws);

/// For each of the first `variables` the difference between late and early draws, in standard errors, or 0 where chance
/// explains it; of variables that do not drift, `level` is the chance that one has another value than 0. Normal scores
/// are compared, and those of distances from the mean. The error is that of the means of chains or, if that is larger,
/// of superchains: chain c belongs to superchain c mod `superchains`, fewer than two: to none. Each element of `early`
/// and `late` is one draw of all chains.
std::vector<double> drifts(const std::vector<Draws>& early, const std::vector<Draws>& late, std::size_t variables,
                           std::size_t superchains, double level);

inline constexpr std::size_t fewest_chains_for_drift = 32;
/// The level at which sampling goes on, and that of the verdict.
inline constexpr double level_to_go_on = 0.01, level_of_drift = 0.001;
/// The level at which warm-up goes on. A window of warm-up is longer than the first draws that a run may end with, so
/// that it shows slow drifts better: at 0.01, 4 of 60 runs of two modes, one of which chains leave after some 35
/// transitions, were converged with a mean off by more than 4 of its errors; at 0.1, 1 of 200.
inline constexpr double level_in_warmup = 0.1;

}  // namespace manychain::diagnostics
