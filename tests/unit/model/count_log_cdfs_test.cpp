// Log CDFs of counts: value and all derivatives in every Real, sums of masses, their ends, and what they are for.
#include "manychain/model/distributions/count_log_cdfs.hpp"

#include "manychain/model/recurrences/forward_mode.hpp"
#include "unit/model/densities_check.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

TYPED_TEST(RealTest, CountLogCdfsMatchTheReference) {
  check_densities<TypeParam>([](auto f) { for_each_count_log_cdf(f); }, 32);
}

// Calls f(name, mass, lcdf, lccdf, parameter) of each; parameters as for `mass`, trials among them.
#define MANYCHAIN_COUNT(name, ...)                                                                                 \
  f(                                                                                                               \
      #name, [](auto y) { return name(y, __VA_ARGS__).value().v; },                                                \
      [](auto y, auto q) {                                                                                         \
        return q([](auto&&... x) { return name##_lcdf(x...); }, [](auto&&... x) { return name##_lccdf(x...); }, y, \
                 __VA_ARGS__);                                                                                     \
      })

template <class F>
void for_each_count(F f) {
  MANYCHAIN_COUNT(poisson, Scalar<double>(3.5));
  MANYCHAIN_COUNT(poisson_log, Scalar<double>(0.75));
  MANYCHAIN_COUNT(bernoulli, Scalar<double>(0.3));
  MANYCHAIN_COUNT(bernoulli_logit, Scalar<double>(-0.3));
  MANYCHAIN_COUNT(binomial, 9, Scalar<double>(0.3));
  MANYCHAIN_COUNT(binomial_logit, 9, Scalar<double>(-0.3));
  MANYCHAIN_COUNT(geometric, Scalar<double>(0.3));
  MANYCHAIN_COUNT(neg_binomial, Scalar<double>(1.5), Scalar<double>(0.5));
  MANYCHAIN_COUNT(neg_binomial_2, Scalar<double>(3.5), Scalar<double>(1.5));
  MANYCHAIN_COUNT(neg_binomial_2_log, Scalar<double>(1.25), Scalar<double>(0.75));
}
#undef MANYCHAIN_COUNT
const auto lower_tail = [](auto lcdf, auto, auto... x) { return lcdf(x...).value().v; };
const auto upper_tail = [](auto, auto lccdf, auto... x) { return lccdf(x...).value().v; };

// Their values are sums of the masses, y itself included below and left out above.
TEST(CountLogCdfs, AreSumsOfMasses) {
  for_each_count([](const std::string& name, auto mass, auto tail) {
    const int last = name.rfind("bernoulli", 0) == 0 ? 1 : name.rfind("binomial", 0) == 0 ? 9 : 12;
    EXPECT_EQ(tail(-1, lower_tail), -std::numeric_limits<double>::infinity()) << name;
    EXPECT_EQ(tail(-1, upper_tail), 0) << name;
    double sum = 0;
    for (int y = 0; y <= last; ++y) {
      sum += std::exp(mass(y));
      EXPECT_NEAR(std::exp(tail(y, lower_tail)), sum, 1e-14) << name << y;
      EXPECT_NEAR(std::exp(tail(y, upper_tail)), 1 - sum, 1e-14) << name << y;
    }
    if (last == 12) return;  // the others have no largest count
    for (int y : {last, last + 1}) {
      EXPECT_EQ(tail(y, lower_tail), 0) << name << y;
      EXPECT_EQ(tail(y, upper_tail), -std::numeric_limits<double>::infinity()) << name << y;
    }
  });
}

// At an end of the parameters and beyond it, where a chain may come by rounding.
TYPED_TEST(RealTest, CountLogCdfsAtTheEndsOfParameters) {
  using R = TypeParam;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double eps = 32 * std::numeric_limits<number_of<R>>::epsilon();
  const auto compare = [eps](double at, const Outcome<R>& got, double value, double slope) {
    EXPECT_NEAR(got.value[0] == value ? 0.0 : got.value[0] - value, 0, eps * std::fabs(value)) << at;
    EXPECT_NEAR(got.gradient[0][0] == slope ? 0.0 : got.gradient[0][0] - slope, 0, eps * std::fabs(slope)) << at;
  };
  const auto expect = [&](double at, auto density, double value, double slope) {
    compare(at, at_parameters<R>({at}, density), value, slope);
  };
  expect(
      0, [](auto& x) { return poisson_lcdf(0, x[0]); }, 0, -1);
  expect(
      0, [](auto& x) { return poisson_lcdf(2, x[0]); }, 0, 0);
  expect(
      0, [](auto& x) { return binomial_lcdf(0, 5, x[0]); }, 0, -5);
  expect(
      0, [](auto& x) { return binomial_lcdf(1, 5, x[0]); }, 0, 0);
  expect(
      1, [](auto& x) { return binomial_lcdf(1, 5, x[0]); }, -infinity, 0);
  expect(
      1, [](auto& x) { return binomial_lccdf(4, 5, x[0]); }, 0, 5);
  expect(
      0, [](auto& x) { return binomial_lccdf(4, 5, x[0]); }, -infinity, 0);
  expect(
      1, [](auto& x) { return geometric_lcdf(0, x[0]); }, 0, 1);
  expect(
      1, [](auto& x) { return geometric_lcdf(3, x[0]); }, 0, 0);
  expect(
      1, [](auto& x) { return geometric_lccdf(3, x[0]); }, -infinity, -infinity);
  EXPECT_EQ(at_parameters<R>({0}, [](auto& x) { return poisson_lccdf(2, x[0]); }).value[0], -infinity);
  // Far out the logarithm goes on, where the mean or the probability is zero.
  expect(
      -1e3, [](auto& x) { return poisson_log_lccdf(2, x[0]); }, -3e3 - std::log(6.0), 3);
  expect(
      -1e3, [](auto& x) { return poisson_log_lcdf(2, x[0]); }, 0, 0);
  expect(
      1e3, [](auto& x) { return poisson_log_lccdf(2, x[0]); }, 0, 0);
  expect(
      1e3, [](auto& x) { return poisson_log_lcdf(2, x[0]); }, -infinity, -infinity);
  expect(
      -1e3, [](auto& x) { return binomial_logit_lccdf(2, 5, x[0]); }, -3e3 + std::log(10.0), 3);
  expect(
      1e3, [](auto& x) { return binomial_logit_lcdf(2, 5, x[0]); }, -3e3 + std::log(10.0), -3);
  expect(
      1e3, [](auto& x) { return binomial_logit_lccdf(2, 5, x[0]); }, 0, 0);
  expect(
      -1e3, [](auto& x) { return neg_binomial_2_log_lccdf(2, x[0], 2); }, -3e3 + std::log(4.0 / 8), 3);
  expect(
      1e3, [](auto& x) { return neg_binomial_2_log_lcdf(0, x[0], 2); }, 2 * (std::log(2.0) - 1e3), -2);
  // At this precision little but the Poisson distribution is left.
  const auto poisson = at_parameters<R>({std::log(7.0)}, [](auto& x) { return poisson_log_lccdf(9, x[0]); });
  const auto close = at_parameters<R>({7, 1e9}, [](auto& x) { return neg_binomial_2_lccdf(9, x[0], x[1]); });
  EXPECT_NEAR(close.value[0], poisson.value[0], 1e-5);
  EXPECT_NEAR(7 * close.gradient[0][0], poisson.gradient[0][0], 1e-5);
  EXPECT_NEAR(1e9 * close.gradient[1][0], 0, 1e-5);
}

// An invalid parameter gives NaN, and no probability.
TYPED_TEST(RealTest, CountLogCdfsOfNoParameters) {
  using R = TypeParam;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto compare = [](double at, double value) { EXPECT_TRUE(std::isnan(value)) << at; };
  const auto expect_nan = [&](std::vector<double> q, auto density) {
    compare(q[0], at_parameters<R>(q, density).value[0]);
  };
  for (double x : {nan, -0.5}) {
    for (const double probability : {x, 1 - x}) {
      expect_nan({probability}, [](auto& p) { return bernoulli_lcdf(0, p[0]); });
      expect_nan({probability}, [](auto& p) { return bernoulli_lccdf(0, p[0]); });
      expect_nan({probability}, [](auto& p) { return geometric_lcdf(2, p[0]); });
      expect_nan({probability}, [](auto& p) { return geometric_lccdf(2, p[0]); });
    }
    expect_nan({x}, [](auto& p) { return exponential_lcdf(3, p[0]); });
    expect_nan({x}, [](auto& p) { return exponential_lccdf(3, p[0]); });
    expect_nan({x}, [](auto& p) { return pareto_lcdf(3, 1, p[0]); });
    expect_nan({x}, [](auto& p) { return pareto_lccdf(3, 1, p[0]); });
    expect_nan({x}, [](auto& p) { return weibull_lccdf(3, 2, p[0]); });
    expect_nan({x}, [](auto& p) { return normal_lcdf(1, 0, p[0]); });
    expect_nan({x}, [](auto& p) { return normal_lccdf(1, 0, p[0]); });
    expect_nan({x}, [](auto& p) { return logistic_lccdf(1, 0, p[0]); });
    expect_nan({x}, [](auto& p) { return cauchy_lccdf(1, 0, p[0]); });
    expect_nan({x}, [](auto& p) { return lognormal_lcdf(1, 0, p[0]); });
    expect_nan({x}, [](auto& p) { return lognormal_lccdf(1, 0, p[0]); });
    expect_nan({x}, [](auto& p) { return student_t_lcdf(1, 3, 0, p[0]); });
    expect_nan({x}, [](auto& p) { return student_t_lccdf(1, 3, 0, p[0]); });
    expect_nan({x}, [](auto& p) { return skew_normal_lccdf(1, 0, p[0], 2); });
    expect_nan({x}, [](auto& p) { return half_normal_lcdf(1, p[0]); });
    expect_nan({x}, [](auto& p) { return half_normal_lccdf(1, p[0]); });
    expect_nan({x}, [](auto& p) { return half_cauchy_lccdf(1, p[0]); });
    expect_nan({x}, [](auto& p) { return half_student_t_lccdf(1, 3, p[0]); });
    expect_nan({x}, [](auto& p) { return gamma_lcdf(1, 2, p[0]); });
    expect_nan({x}, [](auto& p) { return gamma_lccdf(1, 2, p[0]); });
    expect_nan({x}, [](auto& p) { return inverse_gamma_lccdf(1, 2, p[0]); });
    expect_nan({x}, [](auto& p) { return poisson_lcdf(2, p[0]); });
    expect_nan({x}, [](auto& p) { return poisson_lccdf(2, p[0]); });
    expect_nan({x}, [](auto& p) { return binomial_lcdf(2, 5, p[0]); });
    expect_nan({x}, [](auto& p) { return binomial_lccdf(2, 5, p[0]); });
    expect_nan({1 - x}, [](auto& p) { return binomial_lccdf(2, 5, p[0]); });
    expect_nan({x, 1}, [](auto& p) { return neg_binomial_lcdf(2, p[0], p[1]); });
    expect_nan({x, 1}, [](auto& p) { return neg_binomial_2_lccdf(2, p[0], p[1]); });
    expect_nan({1, x}, [](auto& p) { return neg_binomial_lcdf(2, p[0], p[1]); });
    expect_nan({1, x}, [](auto& p) { return neg_binomial_2_lccdf(2, p[0], p[1]); });
    expect_nan({1, x}, [](auto& p) { return neg_binomial_2_log_lccdf(2, p[0], p[1]); });
  }
  expect_nan({nan}, [](auto& p) { return poisson_log_lcdf(2, p[0]); });
  expect_nan({nan}, [](auto& p) { return poisson_log_lccdf(2, p[0]); });
  expect_nan({nan}, [](auto& p) { return binomial_logit_lcdf(2, 5, p[0]); });
  expect_nan({nan}, [](auto& p) { return bernoulli_logit_lccdf(0, p[0]); });
  expect_nan({nan, 1}, [](auto& p) { return neg_binomial_2_log_lcdf(2, p[0], p[1]); });
}

// Counts of which zeros are not seen, and some only to be many: rows at once and one by one, and against differences.
TEST(CountLogCdfs, TruncatedAndCensoredCounts) {
  const auto add = [](auto by_rows) {
    return [by_rows](auto& target) {
      static const std::vector<int> y = {1, 3, 2, 1, 9, 4, 2, 1, 6, 10, 10}, many = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1};
      const View<const int> counts(y.data(), Size<dynamic>(9)), censored(y.data() + 9, Size<dynamic>(2));
      auto x = target.vector("x", 2);
      auto mu = let(exp(x[0]));
      auto phi = let(exp(x[1]));
      if constexpr (decltype(by_rows)::value) {
        target.observe("y", 9, [&](auto j, auto& term) {
          term += neg_binomial_2(counts[j], mu, phi) - neg_binomial_2_lccdf(0, mu, phi);
        });
        target += neg_binomial_2_lccdf(censored, mu, phi);
      } else {
        for (int j = 0; j < 9; ++j) target += neg_binomial_2(counts[j], mu, phi);
        target += -9.0 * neg_binomial_2_lccdf(0, mu, phi) + 2.0 * neg_binomial_2_lccdf(10, mu, phi);
      }
    };
  };
  const std::vector<double> q = {1.1, 0.4};
  check_in_every_real(q, add(std::true_type{}), 512);
  const auto at = [&](int i, int) { return q[static_cast<std::size_t>(i)]; };
  const auto rows = run_target<Request::value_and_gradient, Pack<double>>(2, at, add(std::true_type{}));
  const auto apart = run_target<Request::value_and_gradient, Pack<double>>(2, at, add(std::false_type{}));
  EXPECT_NEAR(rows.value[0], apart.value[0], 1e-12);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(rows.gradient[i][0], apart.gradient[i][0], 1e-12);
}

// In a function that is differentiated as a whole they take Duals, as densities do.
TEST(CountLogCdfs, OfDuals) {
  const auto with = [](auto density) {
    return run_target<Request::value_and_gradient, Pack<float>>(
        2, [](int i, int l) { return 0.5 + 0.25 * i + 0.015625 * l; },
        [&](auto& t) { t += density(t.vector("x", Size<2>{})); });
  };
  const auto f = [](const auto& a, const auto& b) {
    return poisson_lccdf(3, a) + 1.0 * binomial_lcdf(2, 5, a) - neg_binomial_2_log_lcdf(4, a, b);
  };
  const auto right = with([&](const auto& x) { return f(x[0], x[1]); });
  const auto got = with([&](const auto& x) { return forward_mode(f, x[0], x[1]); });
  for (std::size_t l = 0; l < right.value.size(); ++l) {
    EXPECT_NEAR(got.value[l], right.value[l], 1e-5);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(got.gradient[i][l], right.gradient[i][l], 1e-5);
  }
}

}  // namespace
}  // namespace manychain::test
