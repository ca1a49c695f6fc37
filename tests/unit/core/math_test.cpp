// Functions of our own on any Real, against long double.
#include "unit/core/reals.hpp"

#include <cstdint>

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

TYPED_TEST(RealTest, InverseLogitIsAccurateInBothTails) {
  using R = TypeParam;
  using T = number_of<R>;
  const double limit = sizeof(T) == 4 ? 86 : 700;
  each_lane<R>(
      grid<T>(-limit, limit, 3001), [](R x) { return inv_logit(x); },
      [](T x, T got) { ASSERT_LE(ulps<T>(got, 1 / (1 + std::exp(-(long double)x))), 6) << x; });
  const T infinity = std::numeric_limits<T>::infinity();
  each_lane<R>(
      {-infinity, infinity, T(-1e4), T(1e4), 0}, [](R x) { return inv_logit(x); },
      [](T x, T got) {
        ASSERT_EQ(got, x == 0 ? T(0.5) : x < 0 ? T(0) : T(1));
      });
}

TYPED_TEST(RealTest, LogOfOnePlusExponentialNeverOverflows) {
  using R = TypeParam;
  using T = number_of<R>;
  const double limit = sizeof(T) == 4 ? 86 : 700;
  each_lane<R>(
      grid<T>(-limit, limit, 3001), [](R x) { return log1p_exp(x); },
      [](T x, T got) { ASSERT_LE(ulps<T>(got, std::log1p(std::exp((long double)x))), 6) << x; });
  each_lane<R>(
      {T(-1e4), T(1e4), T(1e30)}, [](R x) { return log1p_exp(x); }, [](T x, T got) { ASSERT_EQ(got, x < 0 ? 0 : x); });
}

// Absolute errors, in units of the precision: log Gamma passes through zero at 1 and 2. The recurrence adds a
// logarithm of up to 11 (7 in single precision) and takes it off again: small results are measured against that.
TYPED_TEST(RealTest, LogGammaAndDigamma) {
  using R = TypeParam;
  using T = number_of<R>;
  const double eps = std::numeric_limits<T>::epsilon();
  std::vector<T> xs = logarithmic_grid<T>(1e-30, 1e30, 4001);
  for (T x : grid<T>(0.05, 20, 2001)) xs.push_back(x);
  each_lane<R>(
      xs, [](R x) { return lgamma_positive(x); },
      [&](T x, T got) {
        const long double right = std::lgamma((long double)x);
        ASSERT_LE(std::fabs(got - right), eps * (24 + 4 * std::fabs(right))) << x << ": " << got;
      });
  // Digamma by lgamma's difference in long double would be too coarse: shift far, then the series.
  const auto digamma = [](long double x) {
    long double shift = 0;
    while (x < 60) shift += 1 / x, x += 1;
    const long double y = 1 / (x * x);
    return std::log(x) - 0.5L / x - y * (1.0L / 12 - y * (1.0L / 120 - y * (1.0L / 252 - y * (1.0L / 240 - y / 132)))) -
           shift;
  };
  each_lane<R>(
      xs, [](R x) { return digamma_positive(x); },
      [&](T x, T got) {
        const long double right = digamma(x);
        ASSERT_LE(std::fabs(got - right), eps * (4 + 4 * std::fabs(right))) << x << ": " << got;
      });
  each_lane<R>(
      {0}, [](R x) { return lgamma_positive(x); },
      [&](T, T got) { ASSERT_EQ(got, std::numeric_limits<T>::infinity()); });
}

TYPED_TEST(RealTest, SineAndCosineOfWholeTurns) {
  using R = TypeParam;
  using T = number_of<R>;
  const long double turn = 2 * std::acos(-1.0L);
  std::vector<T> us = grid<T>(0, 1, 8193);
  for (T u : logarithmic_grid<T>(1e-9, 0.9, 500)) us.push_back(u), us.push_back(1 - u);
  const double eps = std::numeric_limits<T>::epsilon();
  const auto part = [](R u, bool sine) {
    R s, c;
    sincos_two_pi(u, s, c);
    return sine ? s : c;
  };
  each_lane<R>(
      us, [&](R u) { return part(u, true); },
      [&](T u, T got) {
        const long double right = std::sin(turn * u);
        ASSERT_LE(std::fabs(got - right), 1.5 * eps * std::fabs(right) + 1e-18) << u << ": " << got;
      });
  each_lane<R>(
      us, [&](R u) { return part(u, false); },
      [&](T u, T got) {
        const long double right = std::cos(turn * u);
        ASSERT_LE(std::fabs(got - right), 1.5 * eps * std::fabs(right) + 1e-18) << u << ": " << got;
      });
}

// 100 000 terms of -1000, each then moved by less than the last place of the sum: lp = -1e8, where single precision has
// a spacing of 8. The difference of two such sums, renormalised as targets do it, is still good to 0.01.
TYPED_TEST(RealTest, CompensatedSumsKeepAnEnergyDifference) {
  using R = TypeParam;
  using T = number_of<R>;
  Compensated<R> before, after;
  double exact = 0;
  std::uint32_t state = 1;
  for (int k = 0; k < 100000; ++k) {
    state = state * 1664525u + 1013904223u;
    const T base = T(-1000) + T(state >> 24), moved = base + T(state % 7) * T(0x1p-14);
    before.add(R(base));
    after.add(R(moved));
    if (k % 64 == 63) before.renormalise(), after.renormalise();
    exact += double(moved) - double(base);
  }
  ASSERT_LT(double(lane(before.value(), 0)), -8e7);
  ASSERT_GT(exact, 10);
  for (int i = 0; i < R::lanes; ++i) EXPECT_NEAR(double(lane(after.minus(before), i)), exact, 0.01);
}

// Acceptance rates of millions of transitions: a plain sum in single precision is off by several per cent.
TYPED_TEST(RealTest, CompensatedSumsOfManyTerms) {
  using R = TypeParam;
  using T = number_of<R>;
  Compensated<R> sum;
  const int terms = 5'000'000;
  for (int k = 0; k < terms; ++k) sum.add_of_many(R(T(0.89)));
  for (int i = 0; i < R::lanes; ++i)
    EXPECT_NEAR((double(lane(sum.sum, i)) + double(lane(sum.error, i))) / terms, 0.89, 1e-7);
}

TYPED_TEST(RealTest, CompensatedSumsOfSumsAndOfInfinities) {
  using R = TypeParam;
  using T = number_of<R>;
  const T infinity = std::numeric_limits<T>::infinity();
  Compensated<R> total, part;
  total.add(R(T(1e8)));
  part.add(R(T(1)));
  part.add(R(T(1e-6)));
  total.add(part);
  total.add(R(T(-1e8)));
  EXPECT_NEAR(double(lane(total.value(), 0)), 1 + double(T(1e-6)), 1e-7);

  // One lane has density zero: it says so, and its neighbours keep theirs.
  Compensated<R> mixed;
  mixed.add(R(3));
  mixed.add(lanes_of<R>([&](int i) { return i == 0 ? -infinity : T(1); }));
  mixed.renormalise();
  mixed.add(R(0.5));
  mixed.renormalise();
  for (int i = 0; i < R::lanes; ++i) EXPECT_EQ(lane(mixed.value(), i), i == 0 ? -infinity : T(4.5));
}

}  // namespace
}  // namespace manychain::test
