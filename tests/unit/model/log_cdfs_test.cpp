// Log CDFs and their complements, value and all derivatives, in every Real; their ends; and what they are for.
#include "unit/model/densities_check.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

TYPED_TEST(RealTest, LogCdfsMatchTheReference) {
  check_densities<TypeParam>([](auto f) { for_each_log_cdf(f); });
}

// The probabilities of both sides add up to one.
TEST(LogCdfs, ComplementsAddUpToOne) {
  const auto check = [](auto lcdf, auto lccdf) {
    for (double x : {0.75, 1.5, 4.0})
      EXPECT_NEAR(std::exp(lcdf(x, 0.5, 1.25).value().v) + std::exp(lccdf(x, 0.5, 1.25).value().v), 1, 1e-15) << x;
  };
#define MANYCHAIN_BOTH(name)                                         \
  check([](auto... x) { return name##_lcdf(Scalar<double>(x)...); }, \
        [](auto... x) { return name##_lccdf(Scalar<double>(x)...); })
  MANYCHAIN_BOTH(normal);
  MANYCHAIN_BOTH(lognormal);
  MANYCHAIN_BOTH(logistic);
  MANYCHAIN_BOTH(gumbel);
  MANYCHAIN_BOTH(double_exponential);
  MANYCHAIN_BOTH(weibull);
  MANYCHAIN_BOTH(pareto);
#undef MANYCHAIN_BOTH
}

// Outside of the support, beside lanes inside: 0 or -infinity, with no slope and no NaN.
TYPED_TEST(RealTest, LogCdfsOutsideTheSupport) {
  using R = TypeParam;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto check = [](auto density, std::vector<double> parameters, double expected) {
    for (double x : {0.0, -0.5, -1e30}) {
      const auto at = [&](int i, int l) {
        return i > 0 ? parameters[static_cast<std::size_t>(i - 1)] : l % 2 ? 1.5 : x;
      };
      const auto got = run_target<Request::value_and_gradient, R>(static_cast<int>(parameters.size()) + 1, at, density);
      EXPECT_EQ(got.value[0], expected);
      for (std::size_t i = 0; i <= parameters.size(); ++i) {
        EXPECT_EQ(got.gradient[i][0], 0);
        for (std::size_t l = 1; l < static_cast<std::size_t>(R::lanes); l += 2) EXPECT_NE(got.gradient[i][l], 0);
      }
    }
  };
#define MANYCHAIN_ENDS(name, ...)            \
  check(                                     \
      [](auto& t) {                          \
        auto x = t.vector("x", Size<3>{});   \
        t += name##_lcdf(x[0], x[1], x[2]);  \
      },                                     \
      {__VA_ARGS__}, -infinity);             \
  check(                                     \
      [](auto& t) {                          \
        auto x = t.vector("x", Size<3>{});   \
        t += name##_lccdf(x[0], x[1], x[2]); \
      },                                     \
      {__VA_ARGS__}, 0)
  MANYCHAIN_ENDS(lognormal, 0.5, 2);
  MANYCHAIN_ENDS(weibull, 0.5, 2);
  MANYCHAIN_ENDS(pareto, 0.5, 2);
#undef MANYCHAIN_ENDS
  check(
      [](auto& t) {
        auto x = t.vector("x", Size<2>{});
        t += exponential_lcdf(x[0], x[1]);
      },
      {2}, -infinity);
  check(
      [](auto& t) {
        auto x = t.vector("x", Size<2>{});
        t += exponential_lccdf(x[0], x[1]);
      },
      {2}, 0);
}

// Ends that cross, and a smallest value below zero, are no parameters, wherever the variate lies.
TYPED_TEST(RealTest, LogCdfsOfInvalidEndsAreNan) {
  using R = TypeParam;
  const auto value = [](std::vector<double> q, auto density) { return double(at_parameters<R>(q, density).value[0]); };
  for (const double x : {-3.0, -0.5, 0.5, 1.5, 3.0}) {
    EXPECT_TRUE(std::isnan(value({x, 1, 0}, [](auto& q) { return uniform_lcdf(q[0], q[1], q[2]); }))) << x;
    EXPECT_TRUE(std::isnan(value({x, 1, 0}, [](auto& q) { return uniform_lccdf(q[0], q[1], q[2]); }))) << x;
    EXPECT_TRUE(std::isnan(value({x, -1, 2}, [](auto& q) { return pareto_lcdf(q[0], q[1], q[2]); }))) << x;
    EXPECT_TRUE(std::isnan(value({x, -1, 2}, [](auto& q) { return pareto_lccdf(q[0], q[1], q[2]); }))) << x;
  }
  EXPECT_NEAR(value({0.25, 0, 1}, [](auto& q) { return uniform_lcdf(q[0], q[1], q[2]); }), std::log(0.25), 1e-6);
  EXPECT_EQ(value({-2, 1, 2}, [](auto& q) { return pareto_lccdf(q[0], q[1], q[2]); }), 0);
}

// A NaN is no end of a support, whose log probability of 0 would hide it.
TEST(LogCdfs, OfNanIsNan) {
  const Scalar<double> nan(std::numeric_limits<double>::quiet_NaN());
#define MANYCHAIN_OF_NAN(name, ...)                                                  \
  EXPECT_TRUE(std::isnan(name##_lcdf(nan, __VA_ARGS__).value().v)) << #name "_lcdf"; \
  EXPECT_TRUE(std::isnan(name##_lccdf(nan, __VA_ARGS__).value().v)) << #name "_lccdf"
  MANYCHAIN_OF_NAN(normal, 0.5, 2);
  MANYCHAIN_OF_NAN(lognormal, 0.5, 2);
  MANYCHAIN_OF_NAN(exponential, 2);
  MANYCHAIN_OF_NAN(weibull, 0.5, 2);
  MANYCHAIN_OF_NAN(pareto, 0.5, 2);
  MANYCHAIN_OF_NAN(gamma, 0.5, 2);
  MANYCHAIN_OF_NAN(inverse_gamma, 0.5, 2);
  MANYCHAIN_OF_NAN(chi_square, 2);
  MANYCHAIN_OF_NAN(beta, 0.5, 2);
  MANYCHAIN_OF_NAN(uniform, 0.5, 2);
  MANYCHAIN_OF_NAN(cauchy, 0.5, 2);
  MANYCHAIN_OF_NAN(half_normal, 2);
  MANYCHAIN_OF_NAN(half_cauchy, 2);
  MANYCHAIN_OF_NAN(half_student_t, 3, 2);
#undef MANYCHAIN_OF_NAN
}

// A truncated density integrates to one, and an interval has the probability of its ends' difference.
TEST(LogCdfs, TruncationAndIntervals) {
  using R = Scalar<double>;
  double sum = 0;
  const double mu = -1, sigma = 0.75, limit = 0.5, step = 1e-4;
  for (double x = limit + step / 2; x < 8; x += step)
    sum += step * std::exp((normal(R(x), R(mu), sigma) - normal_lccdf(limit, R(mu), sigma)).value().v);
  EXPECT_NEAR(sum, 1, 1e-7);
  const auto interval = log_diff_exp(weibull_lcdf(R(3), 1.5, 2), weibull_lcdf(R(1), 1.5, 2));
  EXPECT_NEAR(interval.value().v, std::log(std::exp(-std::pow(0.5, 1.5)) - std::exp(-std::pow(1.5, 1.5))), 1e-15);
}

}  // namespace
}  // namespace manychain::test
