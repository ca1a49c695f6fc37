// Distributions: draws follow the density that an object states, and that is the density of an independent formula.
//
// Kolmogorov's distance 3.33 and 6.22 standard errors: false alarm 5e-10 each (unit/random/variate_sequences_test.cpp).
#include "manychain/model/distributions/sampled_distributions.hpp"

#include "unit/model/drawn_samples.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

TYPED_TEST(RealTest, Normal) {
  using R = TypeParam;
  const auto distribution = normal_distribution(1.5, 2.5);
  EXPECT_LT(kolmogorov_smirnov(sample_of<R>(distribution), [](double x) { return normal_cdf((x - 1.5) / 2.5); }),
            farthest);
  expect_density<R>(distribution, {-20, -1, 0, 1.5, 3, 40}, [](double x) {
    return -0.5 * (x - 1.5) * (x - 1.5) / 6.25 - std::log(2.5) - 0.5 * std::log(2 * std::acos(-1.0));
  });
}

TYPED_TEST(RealTest, Cauchy) {
  using R = TypeParam;
  const auto distribution = cauchy_distribution(-1.0, 0.5);
  const std::vector<double> x = sample_of<R>(distribution);
  EXPECT_LT(kolmogorov_smirnov(x, [](double y) { return 0.5 + std::atan((y + 1) / 0.5) / std::acos(-1.0); }), farthest);
  for (double y : x) ASSERT_TRUE(std::isfinite(y));
  expect_density<R>(distribution, {-1000, -1, 0, 4, 1e4}, [](double y) {
    const double z = (y + 1) / 0.5;
    return -std::log(std::acos(-1.0) * 0.5 * (1 + z * z));
  });
}

// Both tails end at a finite number, of the same size.
TYPED_TEST(RealTest, CauchyIsFiniteAtTheEndsOfTheUniform) {
  using R = TypeParam;
  R sine, cosine;
  sincos_two_pi(R(0.25), sine, cosine);
  for (int l = 0; l < R::lanes; ++l) EXPECT_EQ(lane(cosine / sine, l), 0);
  const double smallest = sizeof(number_of<R>) == 4 ? 0x1p-33 : 0x1p-54;
  sincos_two_pi(R(0.25) * R(smallest), sine, cosine);
  for (int l = 0; l < R::lanes; ++l)
    EXPECT_NEAR(double(lane(cosine / sine, l)) * smallest * std::acos(-1.0) / 2, 1, 1e-5);
}

TYPED_TEST(RealTest, UniformAndExponential) {
  using R = TypeParam;
  const auto uniform = uniform_distribution(-0.25, 3.0);
  const std::vector<double> x = sample_of<R>(uniform);
  EXPECT_LT(kolmogorov_smirnov(x, [](double y) { return (y + 0.25) / 3.25; }), farthest);
  for (double y : x) ASSERT_TRUE(y >= -0.25 && y <= 3);
  expect_density<R>(uniform, {-0.25, 0, 2, 3, -0.5, 3.5},
                    [](double y) { return y < -0.25 || y > 3 ? -infinity : -std::log(3.25); });
  const auto exponential = exponential_distribution(4.0);
  EXPECT_LT(kolmogorov_smirnov(sample_of<R>(exponential), [](double y) { return -std::expm1(-4 * y); }), farthest);
  expect_density<R>(exponential, {0, 0.1, 2, -1}, [](double y) { return y < 0 ? -infinity : std::log(4.0) - 4 * y; });
}

TYPED_TEST(RealTest, GammaInverseGammaAndBeta) {
  using R = TypeParam;
  for (const double a : {0.3, 2.5, 30.0}) {
    const auto gamma = gamma_distribution(a, 3.0);
    EXPECT_LT(kolmogorov_smirnov(sample_of<R>(gamma), [=](double y) { return gamma_cdf(a, 3 * y); }), farthest) << a;
    expect_density<R>(
        gamma, {0.01, 1, 5},
        [=](double y) { return a * std::log(3.0) - std::lgamma(a) + (a - 1) * std::log(y) - 3 * y; }, 100);
  }
  const auto inverse = inverse_gamma_distribution(3.0, 2.0);
  EXPECT_LT(kolmogorov_smirnov(sample_of<R>(inverse), [](double y) { return 1 - gamma_cdf(3, 2 / y); }), farthest);
  expect_density<R>(
      inverse, {0.1, 1, 7}, [](double y) { return 3 * std::log(2.0) - std::lgamma(3.0) - 4 * std::log(y) - 2 / y; },
      20);
  const auto beta = beta_distribution(2.0, 0.7);
  EXPECT_LT(kolmogorov_smirnov(sample_of<R>(beta), [](double y) { return beta_cdf(2, 0.7, y); }), farthest);
  expect_density<R>(
      beta, {0.01, 0.5, 0.875},
      [](double y) {
        return std::lgamma(2.7) - std::lgamma(2.0) - std::lgamma(0.7) + std::log(y) - 0.3 * std::log1p(-y);
      },
      10);
}

TYPED_TEST(RealTest, Discrete) {
  using R = TypeParam;
  const double p = 1 / (1 + std::exp(0.8));
  expect_masses<R>(bernoulli_logit_distribution(-0.8), 0, {1 - p, p});
  expect_masses<R>(discrete_uniform_distribution(-3, 3), -3, std::vector<double>(7, 1.0 / 7));
  expect_density<R>(discrete_uniform_distribution(-3, 3), {0.5, -2.25}, [](double) { return -infinity; });
}

TYPED_TEST(RealTest, CategoricalFromWeights) {
  using R = TypeParam;
  // Zero weights at both ends and within: never drawn.
  const std::vector<double> p = {0, 0.1, 0, 0.35, 0.55, 0};
  const auto weight = [&](int k) { return R(20 * p[static_cast<std::size_t>(k)]); };
  expect_masses<R>(categorical_distribution(6, weight), 0, p);
  expect_masses<R>(categorical_distribution(Size<6>{}, weight), 0, p);
}

TYPED_TEST(RealTest, CategoricalFromLogWeights) {
  using R = TypeParam;
  const std::vector<double> p = {0.2, 0.5, 0.05, 0.25};
  for (const double shift : {0.0, 1000.0, -1000.0}) {
    // Powers of two apart, so that single precision holds the sums exactly.
    const std::vector<double> log_weight = {shift, shift + 1.5, shift - 2, shift + 0.25};
    double total = 0;
    std::vector<double> q;
    for (double l : log_weight) total += std::exp(l - shift);
    for (double l : log_weight) q.push_back(std::exp(l - shift) / total);
    const auto weight = [&](int k) { return R(log_weight[static_cast<std::size_t>(k)]); };
    expect_masses<R>(categorical_logit_distribution(4, weight), 0, q);
    expect_masses<R>(categorical_logit_distribution(Size<4>{}, weight), 0, q);
  }
  // Far apart: the density of what is hardly ever drawn is not lost.
  const std::vector<double> far = {-1000, 1000, 0, -infinity};
  const auto weight = [&](int k) { return R(far[static_cast<std::size_t>(k)]); };
  const auto distribution = categorical_logit_distribution(4, weight);
  for (double y : sample_of<R>(distribution)) ASSERT_EQ(y, 1);
  expect_density<R>(distribution, {0, 1, 2, 3}, [&](double y) { return far[static_cast<std::size_t>(y)] - 1000; });
}

// Nothing is drawn where there is no distribution: a zero would pass for a draw.
TYPED_TEST(RealTest, NoDistributionDrawsNoNumber) {
  using R = TypeParam;
  const Stream<R> stream(3, Purpose::transition, 0, 0);
  Variates<R> v(stream);
  const R none = R(std::numeric_limits<number_of<R>>::quiet_NaN());
  const auto expect_none = [](R x) {
    for (int l = 0; l < R::lanes; ++l) EXPECT_TRUE(std::isnan(double(lane(x, l))));
  };
  const auto weights = [](R first, R second) { return [=](int k) { return k == 0 ? first : second; }; };
  expect_none(bernoulli_logit_distribution(none).draw(v));
  expect_none(categorical_distribution(2, weights(R(0), R(0))).template draw<R>(v));
  expect_none(categorical_distribution(2, weights(R(1), none)).template draw<R>(v));
  expect_none(categorical_logit_distribution(2, weights(R(1), none)).template draw<R>(v));
  expect_none(categorical_logit_distribution(2, weights(R(-infinity), R(-infinity))).template draw<R>(v));
  for (const R shape : {R(0), R(-0.5), none}) {
    expect_none(gamma_distribution(shape, 1).draw(v));
    expect_none(inverse_gamma_distribution(shape, 1).draw(v));
    expect_none(beta_distribution(shape, 1).draw(v));
  }
}

// The parameters of the lanes differ.
TYPED_TEST(RealTest, ParametersOfLanes) {
  using R = TypeParam;
  const R mean = lanes_of<R>([](int l) { return 10.0 * l; });
  std::vector<double> sum(R::lanes);
  const int n = 2000;
  for (int k = 0; k < n; ++k) {
    const Stream<R> stream(3, Purpose::transition, 0, static_cast<std::uint64_t>(k));
    Variates<R> v(stream);
    const R x = normal_distribution(mean, 2).draw(v);
    for (int l = 0; l < R::lanes; ++l) sum[static_cast<std::size_t>(l)] += double(lane(x, l));
  }
  for (int l = 0; l < R::lanes; ++l)
    EXPECT_LT(std::fabs(sum[static_cast<std::size_t>(l)] / n - 10.0 * l), threshold * 2 / std::sqrt(n));
}

template <class R, class N>
void check_dirichlet(N n, const std::vector<double>& alpha) {
  const auto distribution = dirichlet_distribution(n, [&](int k) { return R(alpha[static_cast<std::size_t>(k)]); });
  const std::size_t size = alpha.size();
  double total = 0;
  for (double a : alpha) total += a;
  std::vector<double> mean(size), square(size);
  double draws = 0;
  for (std::uint64_t chain = 0; draws < 100'000; chain += R::lanes) {
    const Stream<R> stream(1, Purpose::transition, chain, 2);
    Variates<R> v(stream);
    Registers<R, 4> x;
    distribution.template draw<R>(v, x);
    const R density = distribution.template log_density<R>(x);
    for (int l = 0; l < R::lanes; ++l) {
      double sum = 0, expected = std::lgamma(total), magnitude = 10;
      for (std::size_t k = 0; k < size; ++k) {
        const double y = double(lane(x[static_cast<int>(k)], l)), log_y = std::log(y);
        ASSERT_TRUE(y >= 0 && y <= 1) << y;
        sum += y;
        mean[k] += y;
        square[k] += y * y;
        expected += (alpha[k] - 1) * log_y - std::lgamma(alpha[k]);
        magnitude += std::fabs((alpha[k] - 1) * log_y);
      }
      const double eps = std::numeric_limits<number_of<R>>::epsilon();
      ASSERT_NEAR(sum, 1, 8 * eps);
      if (std::isfinite(expected)) {
        ASSERT_NEAR(double(lane(density, l)), expected, 64 * eps * magnitude);
      }
      draws += 1;
    }
  }
  for (std::size_t k = 0; k < size; ++k) {
    const double a = alpha[k], m = a / total, s = a * (a + 1) / (total * (total + 1));
    const double fourth = s * (a + 2) * (a + 3) / ((total + 2) * (total + 3));
    EXPECT_LT(std::fabs(mean[k] / draws - m), threshold * std::sqrt((s - m * m) / draws)) << k;
    EXPECT_LT(std::fabs(square[k] / draws - s), threshold * std::sqrt((fourth - s * s) / draws)) << k;
  }
}

TYPED_TEST(RealTest, Dirichlet) {
  using R = TypeParam;
  check_dirichlet<R>(Size<4>{}, {2, 0.5, 7, 1});
  check_dirichlet<R>(3, {0.4, 3, 1.5});
  check_dirichlet<R>(Size<3>{}, {0.01, 0.02, 0.01});  // sparse: all three gamma variates may underflow
}

TYPED_TEST(RealTest, DirichletIsZeroOffTheSimplex) {
  using R = TypeParam;
  const auto distribution = dirichlet_distribution(Size<3>{}, [](int k) { return R(k + 1); });
  const auto at = [&](double a, double b, double c) {
    Registers<R, 3> x{{R(a), R(b), R(c)}};
    return double(lane(distribution.template log_density<R>(x), 0));
  };
  EXPECT_NEAR(at(0.2, 0.3, 0.5), std::log(60 * 0.3 * 0.25), 1e-5);
  EXPECT_EQ(at(0.25, 0.3, 0.5), -infinity);
  EXPECT_EQ(at(-0.1, 0.6, 0.5), -infinity);
}

}  // namespace
}  // namespace manychain::test
