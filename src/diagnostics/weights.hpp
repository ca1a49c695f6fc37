// Weights of importance sampling, judged. Kong (1992): the effective sample size of S weights is (sum w)^2 / sum w^2.
// Vehtari, Simpson, Gelman, Yao and Gabry (2024), "Pareto smoothed importance sampling", JMLR 25: estimates from them
// are trusted if k-hat of the upper tail is at most min(1 - 1 / log10 S, 0.7).
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace manychain::diagnostics {

struct WeightQuality {
  double ess = std::numeric_limits<double>::quiet_NaN();
  /// Shape of the ceil(min(S / 5, 3 sqrt S)) largest weights. NaN: too few are positive, or the largest are nearly the
  /// same.
  double khat = std::numeric_limits<double>::quiet_NaN();
};

/// Judges logarithms of weights, which are reordered; -infinity is a weight of zero. NaN if one is NaN or +infinity, or
/// if no weight is positive.
WeightQuality weight_quality(std::vector<double>& log_weights);

/// The largest k-hat of `count` weights that estimates from them are trusted with.
double most_khat_of_weights(std::size_t count);

}  // namespace manychain::diagnostics
