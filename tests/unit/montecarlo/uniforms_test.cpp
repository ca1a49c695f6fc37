// The Irwin-Hall distribution and its distance from the normal, against closed forms and rational arithmetic.
#include "manychain/montecarlo/uniforms.hpp"

#include <numbers>

#include "statistical/z_test.hpp"
#include "unit/montecarlo/expect.hpp"

namespace manychain::montecarlo::test {
namespace {

double normal_cdf(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

/// The alternating sum, in long double; good to about 1e-15 up to n = 12.
double by_definition(int n, double x) {
  long double sum = 0, binomial = 1, factorial = 1;
  for (int k = 1; k <= n; ++k) factorial *= k;
  for (int k = 0; k <= x; ++k) {
    sum += (k % 2 ? -1 : 1) * binomial * std::pow(static_cast<long double>(x) - k, static_cast<long double>(n));
    binomial = binomial * (n - k) / (k + 1);
  }
  return static_cast<double>(sum / factorial);
}

TEST(IrwinHall, ClosedForms) {
  EXPECT_DOUBLE_EQ(irwin_hall_cdf(1, 0.3), 0.3);
  EXPECT_DOUBLE_EQ(irwin_hall_cdf(2, 0.6), 0.18);
  EXPECT_DOUBLE_EQ(irwin_hall_cdf(2, 1.4), 1 - 0.18);
  EXPECT_DOUBLE_EQ(irwin_hall_cdf(3, 1), 1.0 / 6);
  EXPECT_DOUBLE_EQ(irwin_hall_cdf(3, 2), 5.0 / 6);
  for (int n : {1, 2, 5, 30, 77, 200}) EXPECT_NEAR(irwin_hall_cdf(n, 0.5 * n), 0.5, 1e-14) << n;
  EXPECT_EQ(irwin_hall_cdf(4, -1), 0);
  EXPECT_EQ(irwin_hall_cdf(4, 0), 0);
  EXPECT_EQ(irwin_hall_cdf(4, 4), 1);
}

TEST(IrwinHall, IsTheAlternatingSum) {
  for (int n : {1, 2, 3, 5, 8, 12}) {
    for (int i = 1; i < 40; ++i) {
      const double x = n * i / 80.0;
      EXPECT_NEAR(irwin_hall_cdf(n, x), by_definition(n, x), 1e-14) << n << " " << x;
    }
  }
}

TEST(IrwinHall, KeepsItsTailsAccurate) {
  // Below one there is a single term, x^n / n!.
  double expected = 1;
  for (int k = 1; k <= 30; ++k) expected *= 0.75 / k;
  EXPECT_NEAR(irwin_hall_cdf(30, 0.75) / expected, 1, 1e-13);
  // sum of (-1)^k C(30, k) (15 / 2 - k)^30 / 30! by rational arithmetic
  EXPECT_NEAR(irwin_hall_cdf(30, 7.5) / 4.2333092755872103e-07, 1, 1e-13);
}

TEST(IrwinHall, Refuses) {
  EXPECT_EQ(error_of([] { irwin_hall_cdf(0, 0.5); }), "number of uniforms: 0 is not allowed; take 1 .. 200");
  EXPECT_EQ(error_of([] { irwin_hall_cdf(201, 0.5); }), "number of uniforms: 201 is not allowed; take 1 .. 200");
  EXPECT_EQ(error_of([] { irwin_hall_cdf(2, NAN); }), "irwin_hall_cdf: x is nan");
}

// One uniform: the derivative of the difference vanishes where phi(z) = 1 / sqrt(12).
TEST(GaussianByUniforms, OneUniform) {
  const double z = std::sqrt(-2 * std::log(std::sqrt(2 * std::numbers::pi / 12)));
  const NormalDistance d = gaussian_by_uniforms_distance(1);
  EXPECT_NEAR(d.at, z, 1e-7);
  EXPECT_NEAR(d.distance, 0.5 - z / std::sqrt(12.0) - normal_cdf(-z), 1e-15);
}

TEST(GaussianByUniforms, IsNoLessThanAnyDifferenceOfAFineGrid) {
  for (int n : {1, 2, 3, 4, 7, 12, 30}) {
    double largest = 0;
    for (int i = 0; i <= 20000; ++i) {
      const double x = n * i / 40000.0;
      const double z = (x - 0.5 * n) / std::sqrt(n / 12.0);
      largest = std::fmax(largest, std::fabs(irwin_hall_cdf(n, x) - normal_cdf(z)));
    }
    const NormalDistance d = gaussian_by_uniforms_distance(n);
    EXPECT_GE(d.distance, largest - 1e-15) << n;
    EXPECT_NEAR(d.distance, largest, 1e-7) << n;
    EXPECT_LT(d.distance, d.bound) << n;
  }
}

// Edgeworth: the difference tends to 1/20 (z^3 - 3 z) phi(z) / n, which is largest where z^2 = 3 - sqrt(6).
TEST(GaussianByUniforms, FallsAsOneOverN) {
  const double z = std::sqrt(3 - std::sqrt(6.0));
  const double limit = (3 * z - z * z * z) * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi) / 20;
  EXPECT_NEAR(200 * gaussian_by_uniforms_distance(200).distance, limit, 0.002 * limit);
  EXPECT_NEAR(200 * gaussian_by_uniforms_distance(200).at, 200 * z, 1);
  EXPECT_NEAR(50 * gaussian_by_uniforms_distance(50).distance, limit, 0.01 * limit);
  EXPECT_NEAR(gaussian_by_uniforms_distance(4).bound, 0.4748 * 1.2990381056766580 / 2, 1e-12);
}

// 200000 sums of 5 uniforms at three places: binomial z-tests, false alarm 5e-10 each.
TEST(IrwinHall, IsTheDistributionOfSums) {
  constexpr int n = 5, draws = 200000;
  const std::vector<double> u = uniform_draws(4, n * draws);
  for (double x : {1.2, 2.0, 3.3}) {
    double below = 0;
    for (int i = 0; i < draws; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += u[static_cast<std::size_t>(i * n + j)];
      below += sum <= x;
    }
    const double p = irwin_hall_cdf(n, x);
    EXPECT_LT(std::fabs(below / draws - p) / std::sqrt(p * (1 - p) / draws), statistical::threshold) << x;
  }
}

}  // namespace
}  // namespace manychain::montecarlo::test
