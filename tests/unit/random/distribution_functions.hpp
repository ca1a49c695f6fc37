// Exact distribution functions, and the distance of a sample from one.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace manychain::test {

/// The largest distance of the empirical distribution function from `cdf`, times sqrt(n). P(> 2.81) = 2.8e-7, and
/// P(> 3.33) = 4.7e-10 (Kolmogorov: 2 exp(-2 x^2)).
template <class Cdf>
double kolmogorov_smirnov(std::vector<double> x, Cdf cdf) {
  std::sort(x.begin(), x.end());
  const double n = static_cast<double>(x.size());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = cdf(x[i]);
    if (std::isnan(f)) return HUGE_VAL;
    worst = std::max({worst, f - static_cast<double>(i) / n, (static_cast<double>(i) + 1) / n - f});
  }
  return worst * std::sqrt(n);
}

inline double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

/// The regularised incomplete gamma function P(a, x): its series, or one minus the continued fraction of Q (Abramowitz
/// and Stegun 6.5.29 and 6.5.31, the latter by Lentz' method).
inline double gamma_cdf(double a, double x) {
  if (!(x > 0)) return std::isnan(x) ? x : 0;
  const double factor = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int k = 1; k < 10000 && term > 1e-17 * sum; ++k) sum += term *= x / (a + k);
    return factor * sum;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < 10000; ++k) {
    const double numerator = -k * (k - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    h *= d * c;
    if (std::fabs(d * c - 1) < 1e-16) break;
  }
  return 1 - factor * h;
}

/// The regularised incomplete beta function: the continued fraction 26.5.8 of Abramowitz and Stegun by Lentz' method.
inline double beta_cdf(double a, double b, double x) {
  if (!(x > 0)) return std::isnan(x) ? x : 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - beta_cdf(b, a, 1 - x);
  const double factor =
      std::exp(a * std::log(x) + b * std::log1p(-x) + std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b)) / a;
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
  for (int m = 1; m < 10000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    h *= d * c;
    if (std::fabs(d * c - 1) < 1e-16) break;
  }
  return factor * h;
}

}  // namespace manychain::test
