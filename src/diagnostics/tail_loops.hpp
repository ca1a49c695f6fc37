// The loop over the draws of a tail that a fit of its shape spends its time in, for a CPU.
#pragma once

#include <cstddef>

namespace manychain::diagnostics {

/// Draws of a tail are padded with zeros to a multiple of this.
inline constexpr std::size_t tail_lanes = 8;
/// Largest |theta x| for mean_logs().
inline constexpr double largest_in_mean_logs = 1e15;

/// Writes the means of log(1 - theta x) over the first `count` of the padded draws, one for each of `thetas` numbers.
/// No 1 - theta x is below 1e-15.
void mean_logs(const double* x, std::size_t count, const double* theta, std::size_t thetas, double* means);

}  // namespace manychain::diagnostics
