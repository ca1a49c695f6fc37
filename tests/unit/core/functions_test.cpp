// The elementary functions of every Real against long double.
//
// The C library's are good to a unit in the last place. xsimd's polynomials are held to four; where a result is
// denormal, or within its argument's last two units of overflow, packs may give 0 or infinity instead.
#include "unit/core/reals.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

template <class R, class F, class Exact>
void check_function(const std::vector<number_of<R>>& xs, double tolerance, F f, Exact exact) {
  using T = number_of<R>;
  each_lane<R>(xs, f, [&](T x, T got) {
    const long double right = exact(static_cast<long double>(x));
    ASSERT_LE(ulps<T>(got, right), tolerance) << "at " << x << ": " << got << " instead of " << right;
  });
}

constexpr double tolerance = 4;

TYPED_TEST(RealTest, Exponential) {
  using R = TypeParam;
  using T = number_of<R>;
  const bool single = sizeof(T) == 4;
  const auto f = [](R x) { return exp(x); };
  const auto exact = [](long double x) { return std::exp(x); };
  check_function<R>(grid<T>(single ? -87 : -708, single ? 88 : 709, 4001), tolerance, f, exact);
  check_function<R>(mirrored(logarithmic_grid<T>(1e-30, 1, 300)), tolerance, f, exact);
  const T infinity = std::numeric_limits<T>::infinity();
  check_function<R>({-infinity, infinity, 0, 1000, T(-1000), std::numeric_limits<T>::quiet_NaN(), T(-1e30), T(1e30)},
                    0.5, f, exact);
}

TYPED_TEST(RealTest, Logarithm) {
  using R = TypeParam;
  using T = number_of<R>;
  using L = std::numeric_limits<T>;
  const auto f = [](R x) { return log(x); };
  const auto exact = [](long double x) { return std::log(x); };
  check_function<R>(logarithmic_grid<T>(double(L::min()), double(L::max()) / 2, 4001), tolerance, f, exact);
  check_function<R>(grid<T>(0.5, 2, 4001), tolerance, f, exact);
  // Box and Muller take the square root of -2 log(u): not even the last u below 1 may give a positive logarithm.
  check_function<R>({1 - L::epsilon() / 2, 1 - L::epsilon(), 1 + L::epsilon()}, tolerance, f, exact);
  check_function<R>({1, 0, L::infinity(), L::quiet_NaN(), -1, -L::infinity()}, 0, f,
                    [](long double x) { return x < 0 ? std::numeric_limits<long double>::quiet_NaN() : std::log(x); });
}

TYPED_TEST(RealTest, LogarithmOfOnePlus) {
  using R = TypeParam;
  using T = number_of<R>;
  using L = std::numeric_limits<T>;
  const auto f = [](R x) { return log1p(x); };
  const auto exact = [](long double x) { return std::log1p(x); };
  check_function<R>(mirrored(logarithmic_grid<T>(1e-36, 0.99, 2001)), tolerance, f, exact);
  check_function<R>(logarithmic_grid<T>(1, 1e30, 1001), tolerance, f, exact);
  check_function<R>({0, -1, L::infinity(), L::quiet_NaN(), -1 + L::epsilon() / 2}, tolerance, f, exact);
}

TYPED_TEST(RealTest, ExponentialMinusOne) {
  using R = TypeParam;
  using T = number_of<R>;
  using L = std::numeric_limits<T>;
  const auto f = [](R x) { return expm1(x); };
  const auto exact = [](long double x) { return std::expm1(x); };
  check_function<R>(mirrored(logarithmic_grid<T>(1e-36, 80, 3001)), tolerance, f, exact);
  check_function<R>({0, L::infinity(), -L::infinity(), L::quiet_NaN(), 1000, -1000}, 0.5, f, exact);
}

TYPED_TEST(RealTest, HyperbolicTangentAndArcTangent) {
  using R = TypeParam;
  using T = number_of<R>;
  using L = std::numeric_limits<T>;
  std::vector<T> xs = mirrored(logarithmic_grid<T>(1e-30, 100, 3001));
  xs.insert(xs.end(), {0, L::infinity(), -L::infinity(), L::quiet_NaN(), T(1e30), T(-1e30)});
  check_function<R>(
      xs, tolerance, [](R x) { return tanh(x); }, [](long double x) { return std::tanh(x); });
  check_function<R>(
      xs, tolerance, [](R x) { return atan(x); }, [](long double x) { return std::atan(x); });
}

}  // namespace
}  // namespace manychain::test
