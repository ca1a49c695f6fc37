// Log CDFs of distributions with a shape: value and all derivatives in every Real, their ends, and what they are for.
#include "manychain/model/distributions/shape_log_cdfs.hpp"

#include "manychain/model/recurrences/forward_mode.hpp"
#include "unit/model/densities_check.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

TYPED_TEST(RealTest, ShapeLogCdfsMatchTheReference) {
  check_densities<TypeParam>([](auto f) { for_each_shape_log_cdf(f); }, 32);
}

// With special shapes they are those of log_cdfs.hpp: an exponential variate, a Cauchy variate, a uniform one.
TEST(ShapeLogCdfs, SpecialShapes) {
  using R = Scalar<double>;
  for (double x : {1e-6, 0.3, 2.0, 60.0}) {
    EXPECT_NEAR(gamma_lcdf(R(x), 1, 2).value().v, exponential_lcdf(R(x), 2).value().v, 1e-13 * (1 + 2 * x));
    EXPECT_NEAR(gamma_lccdf(R(x), 1, 2).value().v, exponential_lccdf(R(x), 2).value().v, 1e-13 * (1 + 2 * x));
    EXPECT_NEAR(student_t_lcdf(R(-x), 1, 0, 1).value().v, std::log(std::atan(1 / x) / pi), 1e-13);
    EXPECT_NEAR(student_t_lcdf(R(x), 1e8, 0, 1).value().v, normal_lcdf(R(x), 0, 1).value().v, 1e-5);
  }
  for (double x : {1e-6, 0.3, 0.875}) {
    EXPECT_NEAR(beta_lcdf(R(x), 1, 1).value().v, std::log(x), 1e-13);
    EXPECT_NEAR(beta_lccdf(R(x), 1, 3).value().v, 3 * std::log1p(-x), 1e-13);
  }
}

// Outside of the support, beside lanes inside: 0 or -infinity, with no slope and no NaN.
template <class R, int Arguments, class Density>
void expect_edge(Density density, std::vector<double> outside, std::vector<double> parameters, double expected) {
  for (double x : outside) {
    const auto at = [&](int i, int l) {
      return i > 0 ? parameters[static_cast<std::size_t>(i - 1)] : l % 2 ? 0.75 : x;
    };
    const auto got = run_target<Request::value_and_gradient, R>(Arguments, at, [&](auto& t) {
      auto y = t.vector("y", Size<Arguments>{});
      if constexpr (Arguments == 2)
        t += density(y[0], y[1]);
      else
        t += density(y[0], y[1], y[2]);
    });
    EXPECT_EQ(got.value[0], expected) << x;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Arguments); ++i) {
      EXPECT_EQ(got.gradient[i][0], 0) << x;
      for (std::size_t l = 1; l < static_cast<std::size_t>(R::lanes); l += 2) {
        EXPECT_TRUE(std::isfinite(got.gradient[i][l]));
        EXPECT_NE(got.gradient[i][l], 0);
      }
    }
  }
}
TYPED_TEST(RealTest, ShapeLogCdfsOutsideTheSupport) {
  using R = TypeParam;
  constexpr double infinity = std::numeric_limits<double>::infinity();
#define MANYCHAIN_ENDS(name, count, ...)                                                                       \
  expect_edge<R, count>([](const auto&... x) { return name##_lcdf(x...); }, {0.0, -0.5, -1e30}, {__VA_ARGS__}, \
                        -infinity);                                                                            \
  expect_edge<R, count>([](const auto&... x) { return name##_lccdf(x...); }, {0.0, -0.5, -1e30}, {__VA_ARGS__}, 0)
  MANYCHAIN_ENDS(gamma, 3, 0.5, 2);
  MANYCHAIN_ENDS(chi_square, 2, 2);
  MANYCHAIN_ENDS(inverse_gamma, 3, 0.5, 2);
  MANYCHAIN_ENDS(beta, 3, 0.5, 2);
#undef MANYCHAIN_ENDS
  expect_edge<R, 3>([](const auto&... x) { return beta_lcdf(x...); }, {1.0, 1.5, 1e30}, {0.5, 2}, 0);
  expect_edge<R, 3>([](const auto&... x) { return beta_lccdf(x...); }, {1.0, 1.5, 1e30}, {0.5, 2}, -infinity);
}

// Far out nothing overflows: the value is what is left of it, and no derivative is NaN.
TYPED_TEST(RealTest, ShapeLogCdfsFarOut) {
  using R = TypeParam;
  for (double x : {1e-30, 1e-6, 1e6, 1e18})
    for (double shape : {0.1, 1.0, 100.0, 1e5}) {
      const auto check = [&](auto density) {
        const auto got = run_target<Request::value_and_gradient, R>(
            3, [&](int i, int) { return i == 0   ? x
                                        : i == 1 ? shape
                                                 : 1.0; },
            [&](auto& t) {
              auto y = t.vector("y", Size<3>{});
              t += density(y[0], y[1], y[2]);
            });
        EXPECT_LE(got.value[0], 0) << x << " " << shape;
        for (std::size_t i = 0; i < 3; ++i)
          EXPECT_FALSE(std::isnan(got.gradient[i][0])) << x << " " << shape << " " << i;
      };
      check([](const auto&... y) { return gamma_lcdf(y...); });
      check([](const auto&... y) { return gamma_lccdf(y...); });
      check([](const auto&... y) { return inverse_gamma_lcdf(y...); });
      check([](const auto&... y) { return inverse_gamma_lccdf(y...); });
      check([](const auto& y, const auto& nu, const auto& s) { return student_t_lcdf(y, nu, 0, s); });
      check([](const auto& y, const auto& nu, const auto& s) { return student_t_lccdf(y, nu, 0, s); });
    }
}

// Censored survival times: rows taken several at once have the value and the gradient of rows taken one by one.
TYPED_TEST(RealTest, ShapeLogCdfsOfRows) {
  using R = TypeParam;
  const std::vector<double> times = {0.5, 1.25, 3, 0.125, 7, 2, 0.75, 11, 4, 0.0625, 5};
  std::vector<number_of<R>> numbers(times.begin(), times.end());
  const int n = static_cast<int>(times.size());
  const auto with = [&](auto observe) {
    return run_target<Request::value_and_gradient, R>(
        2, [](int i, int l) { return (i == 0 ? 1.5 : 0.5) + 0.03125 * l; },
        [&](auto& t) {
          auto x = t.vector("x", Size<2>{});
          observe(t, View<const number_of<R>>(numbers.data(), Size<>(n)), x);
        });
  };
  const auto several = with([&](auto& t, const auto& y, const auto& x) {
    t.observe("y", n, [&](auto j, auto& term) { term += gamma_lccdf(y[j], x[0], x[1]); });
  });
  const auto single = with([&](auto& t, const auto& y, const auto& x) {
    t.observe("y", n, [&](int j, auto& term) { term += gamma_lccdf(y[j], x[0], x[1]); });
  });
  const double eps = 64 * std::numeric_limits<number_of<R>>::epsilon();
  for (std::size_t l = 0; l < static_cast<std::size_t>(R::lanes); ++l) {
    EXPECT_NEAR(several.value[l], single.value[l], eps * std::fabs(single.value[l]));
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(several.gradient[i][l], single.gradient[i][l], eps * std::fabs(single.gradient[i][l]));
  }
}

// In a function that is differentiated as a whole they take Duals, as densities do.
TYPED_TEST(RealTest, ShapeLogCdfsOfDuals) {
  using R = TypeParam;
  const auto with = [](auto add) {
    return run_target<Request::value_and_gradient, R>(
        3, [](int i, int l) { return 0.5 + 0.25 * i + 0.015625 * l; },
        [&](auto& t) { add(t, t.vector("x", Size<3>{})); });
  };
  const auto expect_same = [&](auto density) {
    const auto right = with([&](auto& t, const auto& x) { t += density(x[0], x[1], x[2]); });
    const auto got = with([&](auto& t, const auto& x) {
      t += forward_mode([&](const auto&... y) { return 1.0 * density(y...); }, x[0], x[1], x[2]);
    });
    const double eps = 8 * std::numeric_limits<number_of<R>>::epsilon();
    for (std::size_t l = 0; l < static_cast<std::size_t>(R::lanes); ++l) {
      EXPECT_NEAR(got.value[l], right.value[l], eps * std::fabs(right.value[l]));
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NE(right.gradient[i][l], 0);
        EXPECT_NEAR(got.gradient[i][l], right.gradient[i][l], eps * std::fabs(right.gradient[i][l]));
      }
    }
  };
  expect_same([](const auto&... y) { return gamma_lccdf(y...); });
  expect_same([](const auto&... y) { return inverse_gamma_lcdf(y...); });
  expect_same([](const auto& y, const auto& a, const auto& b) { return beta_lcdf(y, a, b); });
  expect_same([](const auto& y, const auto& n, const auto& s) { return student_t_lcdf(y, n, 0.25, s); });
  expect_same([](const auto&... y) { return normal(y...); });
}

// A truncated density integrates to one.
TEST(ShapeLogCdfs, Truncation) {
  using R = Scalar<double>;
  double sum = 0;
  const double limit = 2, step = 1e-3;
  for (double x = limit + step / 2; x < 60; x += step)
    sum += step * std::exp((gamma(R(x), R(1.5), 0.75) - gamma_lccdf(limit, R(1.5), 0.75)).value().v);
  EXPECT_NEAR(sum, 1, 1e-6);
}

}  // namespace
}  // namespace manychain::test
