// Log CDF of the skew normal distribution and of the complement: value and all derivatives in every Real, what they are
// of shapes that are known, and far out.
#include "manychain/model/distributions/skew_normal_log_cdfs.hpp"

#include "manychain/model/distributions/half_log_cdfs.hpp"
#include "unit/model/densities_check.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

TYPED_TEST(RealTest, SkewNormalLogCdfsMatchTheReference) {
  check_densities<TypeParam>([](auto f) { for_each_skew_normal_log_cdf(f); }, 32);
}

/// Value and gradient of density(z, shape).
template <class R, class Density>
auto at_point(double z, double shape, Density density) {
  return run_target<Request::value_and_gradient, R>(
      2, [&](int i, int) { return i == 0 ? z : shape; }, [&](auto& t) { t += density(t.vector("x", Size<2>{})); });
}
const auto lower_tail = [](const auto& q) { return skew_normal_lcdf(q[0], 0, 1, q[1]); };
const auto upper_tail = [](const auto& q) { return skew_normal_lccdf(q[0], 0, 1, q[1]); };

// Far out nothing overflows; of what is no number nothing is a probability.
TYPED_TEST(RealTest, SkewNormalLogCdfsFarOut) {
  using R = TypeParam;
  const double eps = 32 * std::numeric_limits<number_of<R>>::epsilon();
  // A skew normal variate of a large shape is half normal, to the size of what lies below zero.
  for (double z : {0.1, 1.0, 3.0}) {
    const auto skewed = at_point<R>(z, 1e9, upper_tail);
    const auto half = at_point<R>(z, 1, [](const auto& q) { return half_normal_lccdf(q[0], q[1]); });
    EXPECT_NEAR(skewed.value[0], half.value[0], eps * (1 + std::fabs(half.value[0])));
    EXPECT_NEAR(skewed.gradient[0][0], half.gradient[0][0], eps * (1 + std::fabs(half.gradient[0][0])));
    EXPECT_NEAR(skewed.gradient[1][0], 0, eps);
  }
  for (double shape : {-1e30, -50.0, 0.0, 50.0, 1e30})
    for (double z : {-1e30, -1e4, -30.0, 0.0, 30.0, 1e4, 1e30}) {
      const auto check = [&](auto density) {
        const auto got = at_point<R>(z, shape, density);
        EXPECT_LE(got.value[0], 0) << z << " " << shape;
        for (std::size_t i : {0u, 1u}) EXPECT_FALSE(std::isnan(got.gradient[i][0])) << z << " " << shape << " " << i;
      };
      check(lower_tail);
      check(upper_tail);
    }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (bool first : {false, true}) {
    EXPECT_TRUE(std::isnan(at_point<R>(first ? nan : 1, first ? 1 : nan, lower_tail).value[0]));
    EXPECT_TRUE(std::isnan(at_point<R>(first ? nan : 1, first ? 1 : nan, upper_tail).value[0]));
  }
}

// With a shape of zero it is normal; with one it is the square of the normal one; and both sides add up to one. Between
// the points of the table, where the two ways to take the integral meet.
TEST(SkewNormalLogCdfs, KnownShapes) {
  using R = Scalar<double>;
  for (double z = -6; z <= 6; z += 0.0625) {
    EXPECT_NEAR(skew_normal_lcdf(R(z), 0, 1, R(0)).value().v, normal_lcdf(R(z), 0, 1).value().v, 1e-13 * (1 + z * z));
    EXPECT_NEAR(skew_normal_lcdf(R(z), 0, 1, R(1)).value().v, 2 * normal_lcdf(R(z), 0, 1).value().v,
                1e-13 * (1 + z * z));
    for (double shape = -8; shape <= 8; shape += 0.25) {
      const double low = skew_normal_lcdf(R(z), 0, 1, R(shape)).value().v;
      const double high = skew_normal_lccdf(R(z), 0, 1, R(shape)).value().v;
      EXPECT_NEAR(std::exp(low) + std::exp(high), 1, 1e-14) << z << " " << shape;
    }
  }
}

// A truncated density integrates to one.
TEST(SkewNormalLogCdfs, Truncation) {
  using R = Scalar<double>;
  double sum = 0;
  const double limit = 0.5, step = 1e-4;
  for (double x = limit + step / 2; x < 12; x += step)
    sum += step * std::exp((skew_normal(R(x), 0, R(1.5), 2) - skew_normal_lccdf(limit, 0, R(1.5), 2)).value().v);
  EXPECT_NEAR(sum, 1, 1e-7);
}

}  // namespace
}  // namespace manychain::test
