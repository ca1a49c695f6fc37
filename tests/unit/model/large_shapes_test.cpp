// Densities of large shapes, and log CDFs of small ones, in every Real: terms that cancel cost no digits. Values by
// mpmath with 50 digits; arguments are exact in single precision.
#include "manychain/model/distributions/count_log_cdfs.hpp"
#include "unit/model/densities_check.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

struct TExample {
  double x, nu, value, half_value, slope;
};
// Errors below 16 roundings of the value, 1 and log nu; of the derivative, of its size and 1 / nu.
TYPED_TEST(RealTest, StudentTOfManyDegreesOfFreedom) {
  using R = TypeParam;
  constexpr double unit = 16 * std::numeric_limits<number_of<R>>::epsilon();
  for (const TExample& t : {TExample{1.5, 64, -2.04579702327192634, -1.35264984271198103, 3.12992201247e-5},
                            {1.5, 4096, -2.04396527378450635, -1.35081809322456104, 6.53766094407e-9},
                            {1.5, 1048576, -2.04393863751337664, -1.35079145695343133, 9.94770807578e-14},
                            {0.25, 16777216, -0.950188549910271421, -0.257041369350326111, 9.95731274814e-16}}) {
    const double room = unit * (1 + std::fabs(t.value) + std::log(t.nu));
    const auto whole = at_parameters<R>({t.x, t.nu}, [](auto& q) { return student_t(q[0], q[1], 0, 1); });
    const auto half = at_parameters<R>({t.x, t.nu}, [](auto& q) { return half_student_t(q[0], q[1], 1); });
    EXPECT_NEAR(whole.value[0], t.value, room) << t.nu;
    EXPECT_NEAR(half.value[0], t.half_value, room) << t.nu;
    EXPECT_NEAR(whole.gradient[1][0], t.slope, unit * (t.slope + 1 / t.nu)) << t.nu;
    EXPECT_NEAR(half.gradient[1][0], t.slope, unit * (t.slope + 1 / t.nu)) << t.nu;
  }
}

struct BetaExample {
  double x, a, b, value, slope_a, slope_b;
};
// Errors below 16 roundings of the value and one; of derivatives, of their size and the inverse of the smaller shape.
TYPED_TEST(RealTest, BetaOfLargeShapes) {
  using R = TypeParam;
  constexpr double unit = 16 * std::numeric_limits<number_of<R>>::epsilon();
  for (const BetaExample& e :
       {BetaExample{0.25, 32, 96, 2.34124372154787771, 0.0117950360327616552, 0.00130603924861648137},
        {0.25, 1024, 3072, 4.07684460505111618, 0.000366285443298419725, 0.000040693967430615923},
        {0.25, 1048576, 3145728, 7.54266858364496343, 3.57627939706617326e-7, 3.97364335345560836e-8},
        {0.5, 1049088, 1048576, 6.98989120412473729, -0.000243813007861666983, 0.000244349304356770466},
        {0.375, 262144, 393216, -860.009882051269392, -0.0645373767273728501, 0.0408225031469021472}}) {
    const auto at = [&](auto density) { return at_parameters<R>({e.x, e.a, e.b}, density); };
    const auto got = at([](auto& q) { return beta(q[0], q[1], q[2]); });
    const double least = 1 / std::min(e.a, e.b);
    EXPECT_NEAR(got.value[0], e.value, unit * (1 + std::fabs(e.value))) << e.a;
    EXPECT_NEAR(got.gradient[1][0], e.slope_a, unit * (std::fabs(e.slope_a) + least)) << e.a;
    EXPECT_NEAR(got.gradient[2][0], e.slope_b, unit * (std::fabs(e.slope_b) + least)) << e.a;
  }
  // The ends of the support, and shapes that are none.
  const auto value = [](std::vector<double> q) {
    return at_parameters<R>(q, [](auto& x) { return beta(x[0], x[1], x[2]); }).value[0];
  };
  for (const double end : {0.0, 1.0}) EXPECT_EQ(value({end, 100, 200}), -HUGE_VAL);
  EXPECT_EQ(value({1.5, 100, 200}), -HUGE_VAL);
  for (const double none : {-0.5, -100.0}) {
    EXPECT_TRUE(std::isnan(value({0.5, none, 200})));
    EXPECT_TRUE(std::isnan(value({0.5, 200, none})));
  }
}

struct CountExample {
  double y, mu, phi, below, above, below_mu, below_phi, above_mu, above_phi;
};
// Errors below 64 roundings of one and the logarithm; of derivatives, times one and their size.
TYPED_TEST(RealTest, LogCdfsOfWidelySpreadCounts) {
  using R = TypeParam;
  constexpr double unit = 64 * std::numeric_limits<number_of<R>>::epsilon();
  for (const CountExample& e :
       {CountExample{0, 0.5, 0x1p-10, -0.00609401938004957962, -5.10349288055081237, -0.001949317738791423,
                     -5.24222516290956096, 0.31890022991617803, 857.606113388531435},
        {3, 0.5, 0x1p-10, -0.00431000323998123802, -5.44897085074575718, -0.00193795147255349517, -3.42187035040153835,
         0.448672095190282927, 792.227133304435973},
        {40, 7, 0x1p-8, -0.0126498574149629646, -4.37642759667907515, -0.000545463678894649844, -2.26395966238375302,
         0.0428479876034342199, 177.841567279184153},
        {40, 7, 0x1p-20, -0.0000109961672589335717, -11.4179692749667208, -1.36238427055150139e-7, -10.5303234380756622,
         0.0123895603620956563, 957630.535587552119},
        {0, 0.5, 0x1p-20, -0.0000125596984271867511, -11.285023687629424, -1.90734499484063179e-6, -12.1698002453307695,
         0.151861370564290112, 968950.320864204531}}) {
    const auto below = at_parameters<R>({e.mu, e.phi}, [&](auto& q) { return neg_binomial_2_lcdf(e.y, q[0], q[1]); });
    const auto above = at_parameters<R>({e.mu, e.phi}, [&](auto& q) { return neg_binomial_2_lccdf(e.y, q[0], q[1]); });
    const double room = unit * (1 + std::fabs(e.above));
    const auto compare = [&](double got, double right) { EXPECT_NEAR(got, right, room * (1 + std::fabs(right))); };
    EXPECT_NEAR(below.value[0], e.below, unit);
    EXPECT_NEAR(above.value[0], e.above, room);
    compare(below.gradient[0][0], e.below_mu);
    compare(below.gradient[1][0], e.below_phi);
    compare(above.gradient[0][0], e.above_mu);
    compare(above.gradient[1][0], e.above_phi);
  }
}

}  // namespace
}  // namespace manychain::test
