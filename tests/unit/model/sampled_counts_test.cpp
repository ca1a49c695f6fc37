// Draws of counts follow their masses, below and above the means at which the way they are drawn changes.
#include "manychain/model/distributions/sampled_counts.hpp"

#include "manychain/model/data/view.hpp"
#include "unit/model/drawn_samples.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

/// Draws against the sums of exp(log_mass(k)) in double, and the object's mass against that.
template <class R, class Distribution, class Mass>
void check(const Distribution& distribution, Mass log_mass, std::vector<double> points, double size = 10) {
  const std::vector<double> x = sample_of<R>(distribution);
  for (double y : x) ASSERT_TRUE(y >= 0 && y == std::floor(y)) << y;
  EXPECT_LT(discrete_distance(x, log_mass), farthest);
  expect_density<R>(distribution, points, log_mass, size);
  expect_density<R>(distribution, {0.5, -1}, [](double) { return -infinity; });
}
double log_poisson(double k, double mean) { return k * std::log(mean) - mean - std::lgamma(k + 1); }
double log_binomial(double k, double n, double p) {
  if (k > n) return -infinity;
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + (k > 0 ? k * std::log(p) : 0) +
         (k < n ? (n - k) * std::log1p(-p) : 0);
}

TYPED_TEST(RealTest, Poisson) {
  using R = TypeParam;
  for (double mean : {0.125, 3.0, 9.75, 10.25, 70.0, 20'000.0}) {
    const auto mass = [=](double k) { return log_poisson(k, mean); };
    const std::vector<double> points = {0, 1, std::floor(mean), 2 * std::floor(mean)};
    check<R>(poisson_distribution(mean), mass, points, 10 + mean * std::log(mean + 2));
    if (mean < 100) {
      const double eta = double(static_cast<number_of<R>>(std::log(mean)));
      check<R>(
          poisson_log_distribution(eta), [=](double k) { return log_poisson(k, std::exp(eta)); }, points, 100);
    }
  }
}
TYPED_TEST(RealTest, Binomial) {
  using R = TypeParam;
  for (double p : {0.0, 0.03125, 0.25, 0.5, 0.75, 0.96875, 1.0})
    for (double n : {0.0, 1.0, 12.0, 39.0, 41.0, 400.0, 5000.0}) {
      const auto mass = [=](double k) { return log_binomial(k, n, p); };
      check<R>(binomial_distribution(n, p), mass, {0, std::floor(n * p), n}, 10 + 10 * n);
    }
  const double p = 1 / (1 + std::exp(0.75));
  check<R>(
      binomial_logit_distribution(30, -0.75), [=](double k) { return log_binomial(k, 30, p); }, {0, 9, 30}, 100);
  check<R>(bernoulli_distribution(0.25), [](double k) { return log_binomial(k, 1, 0.25); }, {0, 1});
}
// Means of lanes on both sides of the change, in one pack: each lane draws what it would draw alone.
TYPED_TEST(RealTest, CountsOfLanesDoNotDependOnTheirNeighbours) {
  using R = TypeParam;
  using One = Scalar<number_of<R>>;
  const auto mean = [](int l) { return l % 3 == 0 ? 2.5 : l % 3 == 1 ? 40.0 : 10.0; };
  for (std::uint64_t transition = 0; transition < 200; ++transition) {
    const Stream<R> stream(5, Purpose::transition, 0, transition);
    Variates<R> v(stream);
    const R counts = poisson_distribution(lanes_of<R>(mean)).draw(v);
    const R second = binomial_distribution(R(60), lanes_of<R>(mean) / R(60)).draw(v);
    const R angles = von_mises_distribution(0, lanes_of<R>(mean)).draw(v);
    const R after = v.uniform();
    for (int l = 0; l < R::lanes; ++l) {
      const Stream<One> own(5, Purpose::transition, static_cast<std::uint64_t>(l), transition);
      Variates<One> w(own);
      EXPECT_EQ(poisson_distribution(One(mean(l))).draw(w).v, lane(counts, l));
      EXPECT_EQ(binomial_distribution(One(60), One(mean(l)) / One(60)).draw(w).v, lane(second, l));
      EXPECT_NEAR(von_mises_distribution(0, One(mean(l))).draw(w).v, lane(angles, l), 1e-5);
      EXPECT_EQ(w.uniform().v, lane(after, l)) << "the same words are used up";
    }
  }
}
TYPED_TEST(RealTest, GeometricAndNegativeBinomial) {
  using R = TypeParam;
  for (double p : {0.0625, 0.75, 1.0})
    check<R>(
        geometric_distribution(p), [=](double k) { return std::log(p) + (k > 0 ? k * std::log1p(-p) : 0); }, {0, 1, 5},
        20);
  const auto mass = [](double k, double mu, double phi) {
    return std::lgamma(k + phi) - std::lgamma(phi) - std::lgamma(k + 1) + k * std::log(mu / (mu + phi)) +
           phi * std::log(phi / (mu + phi));
  };
  for (double phi : {0.25, 2.0, 50.0}) {
    check<R>(
        neg_binomial_2_distribution(12.0, phi), [=](double k) { return mass(k, 12, phi); }, {0, 12, 30}, 300);
    check<R>(
        neg_binomial_distribution(phi, 0.5), [=](double k) { return mass(k, 2 * phi, phi); }, {0, 3, 30}, 300);
    check<R>(
        neg_binomial_2_log_distribution(1.25, phi), [=](double k) { return mass(k, std::exp(1.25), phi); }, {0, 3, 30},
        300);
  }
}
TYPED_TEST(RealTest, BetaBinomial) {
  using R = TypeParam;
  const auto log_beta = [](double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); };
  for (double n : {1.0, 8.0, 300.0})
    check<R>(
        beta_binomial_distribution(n, 2.0, 0.75),
        [=](double k) {
          return k > n
                     ? -infinity
                     : log_binomial(k, n, 0.5) - n * std::log(0.5) + log_beta(k + 2, n - k + 0.75) - log_beta(2, 0.75);
        },
        {0, 1, n}, 20 + 10 * n);
}
TYPED_TEST(RealTest, CategoriesOfVectors) {
  using R = TypeParam;
  using T = number_of<R>;
  const std::vector<T> cut = {-1, 0.5, 2}, share = {0.125, 0.5, 0, 0.375}, logits = {0, 1, -1};
  const auto curve = [](double x) { return 1 / (1 + std::exp(-x)); };
  expect_masses<R>(ordered_logistic_distribution(0.25, View<const T>(cut.data(), 3)), 0,
                   {1 - curve(1.25), curve(1.25) - curve(-0.25), curve(-0.25) - curve(-1.75), curve(-1.75)});
  expect_masses<R>(categorical_distribution(View<const T>(share.data(), 4)), 0, {0.125, 0.5, 0, 0.375});
  const double total = 1 + std::exp(1) + std::exp(-1);
  expect_masses<R>(categorical_logit_distribution(View<const T, 3>(logits.data(), Size<3>{})), 0,
                   {1 / total, std::exp(1) / total, std::exp(-1) / total});
}

template <class R, class N>
void check_multinomial(N n, const std::vector<double>& weight, double trials) {
  const auto distribution =
      multinomial_distribution(n, trials, [&](int k) { return R(weight[static_cast<std::size_t>(k)]); });
  const std::size_t size = weight.size();
  double total = 0, draws = 0;
  for (double w : weight) total += w;
  std::vector<double> mean(size), square(size);
  for (std::uint64_t chain = 0; draws < 100'000; chain += R::lanes) {
    const Stream<R> stream(1, Purpose::transition, chain, 2);
    Variates<R> v(stream);
    R x[4];
    distribution.template draw<R>(v, x);
    const R density = distribution.template log_density<R>(x);
    for (int l = 0; l < R::lanes; ++l) {
      double sum = 0, expected = std::lgamma(trials + 1);
      for (std::size_t k = 0; k < size; ++k) {
        const double y = double(lane(x[k], l));
        ASSERT_TRUE(y >= 0 && y == std::floor(y)) << y;
        ASSERT_TRUE(weight[k] > 0 || y == 0);
        sum += y;
        mean[k] += y;
        square[k] += y * y;
        expected += (y > 0 ? y * std::log(weight[k] / total) : 0) - std::lgamma(y + 1);
      }
      ASSERT_EQ(sum, trials);
      ASSERT_NEAR(double(lane(density, l)), expected, 2000 * std::numeric_limits<number_of<R>>::epsilon() * trials);
      draws += 1;
    }
  }
  for (std::size_t k = 0; k < size; ++k) {  // the variance of squares: below that of a normal variate by much
    const double p = weight[k] / total, m = trials * p, variance = m * (1 - p);
    EXPECT_LE(std::fabs(mean[k] / draws - m), threshold * std::sqrt(variance / draws)) << k;
    EXPECT_LE(std::fabs(square[k] / draws - m * m - variance),
              threshold * std::sqrt((4 * m * m * variance + 3 * variance * variance + m) / draws))
        << k;
  }
}
TYPED_TEST(RealTest, Multinomial) {
  using R = TypeParam;
  check_multinomial<R>(Size<4>{}, {1, 0, 6, 3}, 100);
  check_multinomial<R>(4, {0.5, 0.25, 0.125, 0}, 7);
  const auto distribution = multinomial_distribution(2, 3, [](int) { return R(0); });
  const Stream<R> stream(1, Purpose::transition, 0, 2);
  Variates<R> v(stream);
  R x[2];
  distribution.template draw<R>(v, x);
  EXPECT_TRUE(std::isnan(double(lane(x[0], 0))) && std::isnan(double(lane(x[1], 0))));
}
TYPED_TEST(RealTest, CountsOfNoDistribution) {
  using R = TypeParam;
  const Stream<R> stream(3, Purpose::transition, 0, 0);
  Variates<R> v(stream);
  const R none = R(std::numeric_limits<number_of<R>>::quiet_NaN());
  const auto expect_none = [](R x) {
    for (int l = 0; l < R::lanes; ++l) EXPECT_TRUE(std::isnan(double(lane(x, l))));
  };
  for (const R bad : {none, R(-0.5)}) {
    expect_none(poisson_distribution(bad).draw(v));
    expect_none(binomial_distribution(10, bad).draw(v));
    expect_none(binomial_distribution(bad, 0.5).draw(v));
    expect_none(bernoulli_distribution(bad).draw(v));
    expect_none(geometric_distribution(bad).draw(v));
    expect_none(neg_binomial_2_distribution(3, bad).draw(v));
    expect_none(beta_binomial_distribution(3, bad, 1).draw(v));
  }
  expect_none(poisson_distribution(R(infinity)).draw(v));
  expect_none(geometric_distribution(R(0)).draw(v));
}

}  // namespace
}  // namespace manychain::test
