// Samples of distributions as objects, and whether they follow the density that the object states.
//
// Kolmogorov's distance 3.33 and 6.22 standard errors: false alarm 5e-10 each (unit/random/variate_sequences_test.cpp).
// In 100 000 draws a distribution function that is wrong by 0.02 somewhere, and a mass p that is wrong by
// 0.03 sqrt(p), are found with probability above 0.99.
#pragma once

#include "manychain/model/language/target.hpp"
#include "manychain/random/philox_pack.hpp"
#include "unit/core/reals.hpp"
#include "unit/random/distribution_functions.hpp"

namespace manychain::test {

inline constexpr std::size_t sample_size = 100'000;
inline constexpr double farthest = 3.33, threshold = 6.22;
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// draw(variates, put): put(x) appends the lanes of x.
template <class R, class Draw>
std::vector<double> collected(std::size_t count, Draw draw) {
  std::vector<double> x;
  for (std::uint64_t chain = 0; x.size() < count; chain += R::lanes) {
    const Stream<R> stream(20261121, Purpose::transition, chain, chain % 31);
    Variates<R> variates(stream);
    draw(variates, [&](R y) {
      for (int l = 0; l < R::lanes; ++l) x.push_back(double(lane(y, l)));
    });
  }
  return x;
}
template <class R, class Distribution>
std::vector<double> sample_of(const Distribution& distribution) {
  return collected<R>(sample_size, [&](Variates<R>& v, auto put) {
    for (int k = 0; k < 4; ++k) put(distribution.template draw<R>(v));
  });
}

/// |got - expected| in roundings of the terms that the density is a sum of.
template <class R, class Distribution, class Reference>
void expect_density(const Distribution& distribution, const std::vector<double>& xs, Reference reference,
                    double size = 1) {
  using T = number_of<R>;
  std::vector<T> points;
  for (double x : xs) points.push_back(static_cast<T>(x));
  each_lane<R>(
      points, [&](R x) { return distribution.log_density(x); },
      [&](T x, T got) {
        const double expected = reference(double(x));
        if (std::isinf(expected)) {
          EXPECT_EQ(double(got), expected) << x;
        } else {
          const double scale = std::numeric_limits<T>::epsilon() * (size + std::fabs(expected));
          EXPECT_NEAR(double(got), expected, 64 * scale) << x;
        }
      });
}

/// P(draw = k) is exp(log_density(k)), which is p[k].
template <class R, class Distribution>
void expect_masses(const Distribution& distribution, int low, const std::vector<double>& p) {
  std::vector<double> count(p.size()), ks;
  const std::vector<double> x = sample_of<R>(distribution);
  for (double y : x) {
    ASSERT_EQ(y, std::floor(y));
    const double k = y - low;
    ASSERT_TRUE(k >= 0 && k < static_cast<double>(p.size())) << y;
    count[static_cast<std::size_t>(k)] += 1;
  }
  const double n = static_cast<double>(x.size());
  for (std::size_t k = 0; k < p.size(); ++k) {
    EXPECT_LE(std::fabs(count[k] / n - p[k]), threshold * std::sqrt(p[k] * (1 - p[k]) / n)) << k;
    ks.push_back(static_cast<double>(k) + low);
  }
  ks.push_back(low - 1);
  ks.push_back(low + static_cast<double>(p.size()));
  expect_density<R>(distribution, ks, [&](double y) {
    const double k = y - low;
    return k >= 0 && k < static_cast<double>(p.size()) ? std::log(p[static_cast<std::size_t>(k)]) : -infinity;
  });
}

/// The integral of exp(log_density) from `low` on, over that up to `high`: by the trapezoidal rule on a fine grid.
template <class F>
auto tabulated_cdf(F log_density, double low, double high) {
  const int n = 200'000;
  std::vector<double> sum(n + 1);
  double last = std::exp(log_density(low));
  for (int i = 1; i <= n; ++i) {
    const double next = std::exp(log_density(low + (high - low) * i / n));
    sum[static_cast<std::size_t>(i)] = sum[static_cast<std::size_t>(i - 1)] + 0.5 * (last + next);
    last = next;
  }
  return [sum, low, high](double x) {
    const double at = std::clamp((x - low) / (high - low), 0.0, 1.0) * n;
    const std::size_t i = std::min(static_cast<std::size_t>(at), static_cast<std::size_t>(n - 1));
    return (sum[i] + (at - static_cast<double>(i)) * (sum[i + 1] - sum[i])) / sum.back();
  };
}

/// The largest distance of the empirical distribution function of whole numbers from the sums of exp(log_mass(k)),
/// times sqrt(n): at most Kolmogorov's.
template <class F>
double discrete_distance(std::vector<double> x, F log_mass) {
  std::sort(x.begin(), x.end());
  const double n = static_cast<double>(x.size());
  double worst = 0, sum = 0;
  std::size_t below = 0;
  for (double k = 0; below < x.size(); ++k) {
    sum += std::exp(log_mass(k));
    while (below < x.size() && x[below] <= k) ++below;
    worst = std::max(worst, std::fabs(sum - static_cast<double>(below) / n));
    if (k > 1e7) return HUGE_VAL;
  }
  return worst * std::sqrt(n);
}

}  // namespace manychain::test
