// Pareto smoothed importance sampling (Vehtari, Simpson, Gelman, Yao and Gabry 2024).
#pragma once

#include <vector>

namespace manychain::diagnostics {

/// Replaces the largest min(S / 5, 3 sqrt(S)) of S weights, of which these are logarithms, by quantiles of the Pareto
/// distribution that is fitted to them, none above the largest. Returns its shape: NaN where there is no tail to fit,
/// and weights stay as they are. Weights are scaled: the largest raw one becomes one.
double smooth_weights(std::vector<double>& log_weights);

}  // namespace manychain::diagnostics
