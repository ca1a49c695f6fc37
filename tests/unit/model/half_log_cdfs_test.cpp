// Log CDFs of the Cauchy and the half distributions, and the ends of the uniform: value and all derivatives in every
// Real, their ends, and what they are for.
#include "manychain/model/distributions/half_log_cdfs.hpp"

#include "unit/model/densities_check.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

TYPED_TEST(RealTest, HalfLogCdfsMatchTheReference) {
  check_densities<TypeParam>([](auto f) { for_each_half_log_cdf(f); });
}

/// Value and gradient of density(x) at q, beside lanes that are inside of every support.
template <class R, class Density>
auto beside_others(const std::vector<double>& q, double variate, Density density) {
  return run_target<Request::value_and_gradient, R>(
      static_cast<int>(q.size()),
      [&](int i, int l) { return i == 0 && l % 2 == 1 ? variate : q[static_cast<std::size_t>(i)]; },
      [&](auto& t) { t += density(t.vector("x", static_cast<int>(q.size()))); });
}

template <class X, class S>
auto half_t_lcdf(const X& x, const S& sigma) {
  return half_student_t_lcdf(x, 3, sigma);
}
template <class X, class S>
auto half_t_lccdf(const X& x, const S& sigma) {
  return half_student_t_lccdf(x, 3, sigma);
}

// Outside of the support: 0 or -infinity, without a slope; of what is no number no number.
TYPED_TEST(RealTest, HalfLogCdfsOutsideTheSupport) {
  using R = TypeParam;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto expect = [](std::vector<double> q, auto density, double expected) {
    const auto got = beside_others<R>(q, 0.75, density);
    EXPECT_EQ(got.value[0], expected) << q[0];
    for (std::size_t i = 0; i < q.size(); ++i) {
      EXPECT_EQ(got.gradient[i][0], 0) << q[0];
      if (R::lanes > 1) {
        EXPECT_TRUE(std::isfinite(got.gradient[i].back()) && got.gradient[i].back() != 0) << q[0];
      }
    }
  };
  const auto expect_nan = [](std::vector<double> q, auto density) {
    EXPECT_TRUE(std::isnan(beside_others<R>(q, 0.75, density).value[0])) << q[0];
  };
#define MANYCHAIN_ENDS(name)                                                                                  \
  for (double x : {0.0, -0.5, -1e30}) {                                                                       \
    expect(                                                                                                   \
        {x, 2}, [](const auto& q) { return name##_lcdf(q[0], q[1]); }, -infinity);                            \
    expect(                                                                                                   \
        {x, 2}, [](const auto& q) { return name##_lccdf(q[0], q[1]); }, 0);                                   \
  }                                                                                                           \
  for (int i : {0, 1}) {                                                                                      \
    expect_nan({i == 0 ? nan : 1, i == 1 ? nan : 1}, [](const auto& q) { return name##_lcdf(q[0], q[1]); });  \
    expect_nan({i == 0 ? nan : 1, i == 1 ? nan : 1}, [](const auto& q) { return name##_lccdf(q[0], q[1]); }); \
  }
  MANYCHAIN_ENDS(half_normal)
  MANYCHAIN_ENDS(half_cauchy)
  MANYCHAIN_ENDS(half_t)
#undef MANYCHAIN_ENDS
  for (double x : {-1.0, -1.5, -1e30}) {
    expect(
        {x, -1, 2}, [](const auto& q) { return uniform_lcdf(q[0], q[1], q[2]); }, -infinity);
    expect(
        {x, -1, 2}, [](const auto& q) { return uniform_lccdf(q[0], q[1], q[2]); }, 0);
    expect(
        {-x, -2, 1}, [](const auto& q) { return uniform_lcdf(q[0], q[1], q[2]); }, 0);
    expect(
        {-x, -2, 1}, [](const auto& q) { return uniform_lccdf(q[0], q[1], q[2]); }, -infinity);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> q = {0.5, 0, 1};
    q[i] = nan;
    expect_nan(q, [](const auto& x) { return uniform_lccdf(x[0], x[1], x[2]); });
    expect_nan(q, [](const auto& x) { return cauchy_lccdf(x[0], x[1], x[2]); });
  }
}

// Far out nothing overflows, and the logarithm goes on.
TYPED_TEST(RealTest, HalfLogCdfsFarOut) {
  using R = TypeParam;
  const double eps = 32 * std::numeric_limits<number_of<R>>::epsilon();
  const auto expect = [eps](double at, auto density, double value, double slope) {
    const auto got = beside_others<R>({at}, at, density);
    EXPECT_NEAR(got.value[0], value, eps * (1 + std::fabs(value))) << at;
    EXPECT_NEAR(got.gradient[0][0], slope, eps * (std::fabs(slope) + 1e-30)) << at;
  };
  for (double x : {1e12, 1e25}) {
    expect(
        -x, [](const auto& q) { return cauchy_lcdf(q[0], 0, 1); }, -std::log(x * pi), 1 / x);
    expect(
        x, [](const auto& q) { return half_cauchy_lccdf(q[0], 1); }, -std::log(x * pi / 2), -1 / x);
    expect(
        1 / x, [](const auto& q) { return half_cauchy_lcdf(q[0], 1); }, -std::log(x * pi / 2), x);
    expect(
        1 / x, [](const auto& q) { return half_normal_lcdf(q[0], 1); }, std::log(std::sqrt(2 / pi) / x), x);
  }
}

// A truncated density integrates to one.
TEST(HalfLogCdfs, Truncation) {
  using R = Scalar<double>;
  double sum = 0;
  const double limit = 0.5, step = 1e-4;
  for (double x = limit + step / 2; x < 12; x += step)
    sum += step * std::exp((half_normal(R(x), R(1.5)) - half_normal_lccdf(limit, R(1.5))).value().v);
  EXPECT_NEAR(sum, 1, 1e-7);
}

}  // namespace
}  // namespace manychain::test
