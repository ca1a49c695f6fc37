// Discrete distributions by the inverse of their distribution function.
// Devroye, Non-Uniform Random Variate Generation (1986), section III.2.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace manychain::montecarlo {

/// Turns uniforms into indices 0 .. n - 1 of given probabilities.
class DiscreteInverseCdf {
 public:
  /// Largest distance of the sum from one; it is divided out.
  static constexpr double tolerance = 1e-8;

  /// Throws BadInput unless there are probabilities, each finite and not negative (by its index), with the sum one.
  explicit DiscreteInverseCdf(std::span<const double> probabilities);

  /// n values, ascending; exactly one from the last positive probability on.
  const std::vector<double>& cdf() const { return cdf_; }

  /// The smallest i of positive probability with u <= cdf()[i]; O(log n). Throws BadInput unless 0 <= u <= 1.
  std::size_t index(double u) const;

 private:
  std::vector<double> cdf_;
};

}  // namespace manychain::montecarlo
