// Quantiles of the Beta distribution, for the rank of a quantile.
#pragma once

#include <algorithm>
#include <cmath>

namespace manychain::diagnostics {

/// I_x(a, b) by its continued fraction (DLMF 8.17.22, evaluated by Lentz's method), which converges fast below the
/// mean: in some sqrt(max(a, b)) terms.
inline double incomplete_beta_below_mean(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  const auto away_from_zero = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < 100000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  const double log_front = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  return std::exp(log_front) * fraction / a;
}

/// The regularised incomplete beta function I_x(a, b), a, b > 0.
inline double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const bool below = x <= (a + 1) / (a + b + 2);
  return below ? incomplete_beta_below_mean(a, b, x) : 1 - incomplete_beta_below_mean(b, a, 1 - x);
}

/// The x with I_x(a, b) = p, for 0 < p < 1, by bisection.
inline double beta_quantile(double p, double a, double b) {
  double low = 0, high = 1;
  for (int i = 0; i < 60 && low < high; ++i) {
    const double middle = (low + high) / 2;
    (incomplete_beta(a, b, middle) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace manychain::diagnostics
