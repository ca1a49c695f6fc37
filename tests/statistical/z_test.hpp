// The shared part of all statistical tests: the threshold that follows from the false-alarm rate, and z-scores of
// means.
//
// Each z-score below has two sides and is compared with `threshold`. P(|Z| > 6.22) = 5.0e-10, so 2000 z-tests, more
// than this folder makes, raise a false alarm with a probability of at most 1e-6 together (Bonferroni). Seeds are
// fixed: a test that fails has found something, and is not run again with another seed.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace statistical {

inline constexpr double threshold = 6.22;

/// Margin above the threshold that the score of a wrong sampler must reach. A score has a standard deviation of one. If
/// it is observed at threshold + 2.33 + 4.75, its expectation lies above threshold + 2.33 but for a chance of 1e-6, and
/// a run with another seed then exceeds the threshold with probability 0.99 (P(Z > -2.33) = 0.99).
inline constexpr double power_margin = 2.33 + 4.75;

/// The smallest number of chains with which an effect of `shift` standard deviations (of one chain's paired difference)
/// is caught with power 0.99, whatever the seed.
constexpr double chains_needed(double shift) {
  const double z = threshold + power_margin;
  return z * z / (shift * shift);
}

/// Running mean and variance (Welford 1962).
struct Moments {
  double n = 0, mean = 0, m2 = 0;
  void add(double x) {
    n += 1;
    const double delta = x - mean;
    mean += delta / n;
    m2 += delta * (x - mean);
  }
  double variance() const { return m2 / (n - 1); }
  double error() const { return std::sqrt(variance() / n); }
};

/// The score of a t statistic with `freedom` degrees of freedom that is as rare as the returned z (Wallace 1959).
inline double z_of_t(double t, double freedom) {
  const double z = std::sqrt(freedom * std::log1p(t * t / freedom)) * (1 - 3 / (4 * freedom));
  return std::copysign(z, t);
}

/// The z score of the mean of independent values against `expected`.
inline double z_of_mean(const Moments& m, double expected) {
  if (m.m2 == 0) return m.mean == expected ? 0 : HUGE_VAL;
  return z_of_t((m.mean - expected) / m.error(), m.n - 1);
}

}  // namespace statistical
