// Expectations from independent draws, with what is known of their error.
// Owen, Monte Carlo theory, methods and examples (2013), chapter 2.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace manychain::montecarlo {

/// The p-quantile of the standard normal, -infinity for p = 0 and infinity for p = 1. Throws BadInput for p outside
/// [0, 1].
double normal_quantile(double p);

/// A mean of independent draws.
struct Estimate {
  std::size_t draws = 0;
  double value = 0;           ///< mean
  double sd = 0;              ///< of one draw, divisor S - 1; NaN for one draw
  double standard_error = 0;  ///< sd / sqrt(S)
  double level = 0;           ///< with this probability, for large S, the interval covers the expectation
  double lower = 0, upper = 0;
};

/// The mean of `values`, S independent draws of a number, and the interval of the central limit theorem,
/// value +- normal_quantile((1 + level) / 2) standard errors (Owen, section 2.2). The interval is too short if S is
/// small or if rare values that no draw has met decide. One draw tells nothing of its error: that is NaN, and so is the
/// interval. Throws BadInput if there is no value, one is not finite (by its index), or level is not inside (0, 1).
Estimate mean_estimate(std::span<const double> values, double level = 0.95);

/// The estimate from integrand(x) for each x of `draws`.
Estimate mean_estimate(std::span<const double> draws, const std::function<double(double)>& integrand,
                       double level = 0.95);

}  // namespace manychain::montecarlo
