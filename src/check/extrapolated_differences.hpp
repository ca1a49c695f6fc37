// Derivatives along a direction, from central differences with steps that shrink by a factor, extrapolated to a step of
// zero (Ridders, Advances in Engineering Software 4, 75 (1982)), together with an estimate of the error: truncation
// from how far the extrapolations agree, rounding from the scatter of the differences at small steps.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace manychain::differences {

constexpr std::size_t steps = 10;  ///< differences of a derivative, two evaluations each
constexpr double widest = 1;       ///< the largest step, of the component that moves farthest
constexpr double shrink = 3;       ///< ratio of successive steps: the last is 5e-5

/// The derivative along a direction by differences minus that by the gradient, and an estimate of its error.
struct Residual {
  double value = 0, error = HUGE_VAL;
};

/// Central differences at the steps `widest`, widest / shrink, ...
struct Differences {
  std::array<double, steps> residuals;  ///< of the first derivative, minus that by the gradient
  std::array<double, steps> bends;      ///< (f(+h) + f(-h) - 2 f(0)) / h: vanishes with h, except at a kink
};

/// Residuals extrapolated to a step of zero. `value_scale`: the magnitude of the log density.
Residual extrapolated(const Differences& differences, double value_scale);

}  // namespace manychain::differences
