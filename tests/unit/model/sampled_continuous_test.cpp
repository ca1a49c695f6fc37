// Draws from continuous distributions follow their distribution functions, and the objects state the densities.
#include "manychain/model/distributions/sampled_continuous.hpp"

#include "unit/model/drawn_samples.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

const double root_two = std::sqrt(2.0), half_turn = std::acos(-1.0);

double student_cdf(double nu, double t) {
  const double tail = 0.5 * beta_cdf(0.5 * nu, 0.5, nu / (nu + t * t));
  return t < 0 ? tail : 1 - tail;
}
/// Draws against the function, and the object's density against that of the language in double.
template <class R, class Distribution, class Cdf, class Density>
void check(const Distribution& distribution, Cdf cdf, Density density, std::vector<double> points) {
  const std::vector<double> x = sample_of<R>(distribution);
  EXPECT_LT(kolmogorov_smirnov(x, cdf), farthest);
  for (double y : x) ASSERT_TRUE(std::isfinite(y));
  expect_density<R>(
      distribution, points, [&](double y) { return density(Scalar<double>(y)).value().v; }, 10);
}

TYPED_TEST(RealTest, HalvesOfSymmetricDistributions) {
  using R = TypeParam;
  check<R>(
      half_normal_distribution(2.5), [](double x) { return std::erf(x / 2.5 / root_two); },
      [](auto x) { return half_normal(x, 2.5); }, {0, 1, 7, -1});
  check<R>(
      half_cauchy_distribution(2.5), [](double x) { return std::atan(x / 2.5) * 2 / half_turn; },
      [](auto x) { return half_cauchy(x, 2.5); }, {0, 1, 700, -1});
  for (double nu : {0.7, 4.0})
    check<R>(
        half_student_t_distribution(nu, 1.5), [=](double x) { return 2 * student_cdf(nu, x / 1.5) - 1; },
        [=](auto x) { return half_student_t(x, nu, 1.5); }, {0, 1, 7, -1});
}
TYPED_TEST(RealTest, StudentT) {
  using R = TypeParam;
  for (double nu : {0.5, 3.0, 40.0})
    check<R>(
        student_t_distribution(nu, -1.0, 0.5), [=](double x) { return student_cdf(nu, (x + 1) / 0.5); },
        [=](auto x) { return student_t(x, nu, -1.0, 0.5); }, {-20, -1, 0.5, 10});
}
TYPED_TEST(RealTest, LognormalParetoAndChiSquare) {
  using R = TypeParam;
  check<R>(
      lognormal_distribution(0.5, 0.75), [](double x) { return normal_cdf((std::log(x) - 0.5) / 0.75); },
      [](auto x) { return lognormal(x, 0.5, 0.75); }, {0.125, 1, 8, -1});
  check<R>(
      pareto_distribution(2.0, 1.5), [](double x) { return 1 - std::pow(2 / x, 1.5); },
      [](auto x) { return pareto(x, 2.0, 1.5); }, {2, 3, 100, 1});
  check<R>(
      chi_square_distribution(5.0), [](double x) { return gamma_cdf(2.5, 0.5 * x); },
      [](auto x) { return chi_square(x, 5.0); }, {0.25, 3, 20, -1});
}
TYPED_TEST(RealTest, LaplaceLogisticWeibullAndGumbel) {
  using R = TypeParam;
  check<R>(
      double_exponential_distribution(1.0, 2.0),
      [](double x) { return x < 1 ? 0.5 * std::exp((x - 1) / 2) : 1 - 0.5 * std::exp((1 - x) / 2); },
      [](auto x) { return double_exponential(x, 1.0, 2.0); }, {-9, 1, 2, 30});
  check<R>(
      logistic_distribution(1.0, 2.0), [](double x) { return 1 / (1 + std::exp((1 - x) / 2)); },
      [](auto x) { return logistic(x, 1.0, 2.0); }, {-9, 1, 2, 30});
  for (double shape : {0.5, 3.0})
    check<R>(
        weibull_distribution(shape, 2.0), [=](double x) { return -std::expm1(-std::pow(x / 2, shape)); },
        [=](auto x) { return weibull(x, shape, 2.0); }, {0.125, 1, 4, -1});
  check<R>(
      gumbel_distribution(1.0, 2.0), [](double x) { return std::exp(-std::exp((1 - x) / 2)); },
      [](auto x) { return gumbel(x, 1.0, 2.0); }, {-4, 1, 2, 30});
}
TYPED_TEST(RealTest, VonMises) {
  using R = TypeParam;
  for (double kappa : {0.0, 0.5, 4.0, 1e4}) {
    const double end = kappa > 100 ? 8 / std::sqrt(kappa) : half_turn;
    const auto cdf = tabulated_cdf([=](double w) { return kappa * (std::cos(w) - 1); }, -end, end);
    check<R>(
        von_mises_distribution(0.5, kappa), [&](double x) { return cdf(x - 0.5); },
        [=](auto x) { return von_mises(x, 0.5, kappa); }, {0.5, 0.625, 3});
  }
}
TYPED_TEST(RealTest, SkewNormal) {
  using R = TypeParam;
  for (double alpha : {-3.0, 0.0, 20.0}) {
    const auto cdf = tabulated_cdf(
        [=](double z) { return -0.5 * z * z + std::log(std::erfc(-alpha * z / root_two) + 1e-300); }, -9, 9);
    check<R>(
        skew_normal_distribution(1.0, 2.0, alpha), [&](double x) { return cdf((x - 1) / 2); },
        [=](auto x) { return skew_normal(x, 1.0, 2.0, alpha); }, {-0.5, 1, 2, 5});
  }
}
// Tails of single precision are as long as those of double: nothing ends where a uniform rounds to one.
TYPED_TEST(RealTest, TailsAreFine) {
  using R = TypeParam;
  double most = 0, least = 1;
  for (double x : collected<R>(4'000'000, [](Variates<R>&v, auto put) {
         for (int k = 0; k < 64; ++k) put(detail::fine_exponential(v));
       })) {
    ASSERT_GT(x, 0);
    most = std::max(most, x);
    least = std::min(least, x);
  }
  // With 4e6 numbers P(most < 11.8) and P(least > 5e-6) are below 1e-9; so is P(most > 37).
  EXPECT_GT(most, 11.8);
  EXPECT_LT(most, 37);
  EXPECT_LT(least, 5e-6);
}
TYPED_TEST(RealTest, ParametersThatAreNoneDrawNoNumber) {
  using R = TypeParam;
  const Stream<R> stream(3, Purpose::transition, 0, 0);
  Variates<R> v(stream);
  const R none = R(std::numeric_limits<number_of<R>>::quiet_NaN());
  const auto expect_none = [](R x) {
    for (int l = 0; l < R::lanes; ++l) EXPECT_TRUE(std::isnan(double(lane(x, l))));
  };
  expect_none(von_mises_distribution(0, none).draw(v));
  expect_none(von_mises_distribution(0, R(-1)).draw(v));
  expect_none(student_t_distribution(R(-1), 0, 1).draw(v));
  expect_none(chi_square_distribution(none).draw(v));
  expect_none(weibull_distribution(none, 1).draw(v));
}

}  // namespace
}  // namespace manychain::test
