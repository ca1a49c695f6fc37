// Special functions of expressions: derivatives by differences, every Real, rows of data, and where they end.
#include "manychain/model/distributions/functions.hpp"

#include "manychain/model/data/view.hpp"
#include "manychain/model/distributions/mixtures.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

template <class F>
void check_function(const std::vector<double>& q, F density) {
  check_gradient_of(q, density);
  check_lanes<Scalar<float>>(q, density, 256);
  check_lanes<Pack<float>>(q, density, 256);
  check_lanes<Pack<double>>(q, density, 256);
}
/// target += f(x) at each of some x, which differ by 1/32 from lane to lane.
template <class F>
void check_at(const std::vector<double>& points, F f) {
  check_function(points, [&](auto& target) {
    auto x = target.vector("x", Size<dynamic>(static_cast<int>(points.size())));
    for (int i = 0; i < x.size().value(); ++i) target += f(x[i]);
  });
}

TEST(Functions, HaveTheDerivativesOfDifferences) {
  check_at({0.3, 1.0, 4.25, 30.0}, [](auto x) { return lgamma(x); });
  check_at({-7.5, -1.0, 0.0, 0.4, 3.0}, [](auto x) { return Phi(x); });
  check_at({-30.0, -1.0, 0.0, 0.4, 3.0}, [](auto x) { return log_Phi(x); });
  check_at({-3.0, -0.9, 0.1, 0.5, 2.0}, [](auto x) { return erf(x); });
  check_at({-3.0, -0.9, 0.1, 0.5, 2.0}, [](auto x) { return erfc(x); });
  check_at({-30.0, -3.0, -0.9}, [](auto x) { return log1m_exp(x - 0.5); });
  check_at({-3.0, -0.5, 0.25}, [](auto x) { return log1m(x); });
  check_at({0.125, 0.4}, [](auto x) { return logit(x); });
  check_at({-20.0, -3.0, 0.0, 1.5, 40.0}, [](auto x) { return sin(x) - 2.0 * cos(x); });
  check_at({-20.0, -1.0, 0.25, 3.9, 9.0, 40.0}, [](auto x) { return log_bessel_i0(x); });
}
TEST(Functions, OfTwoArguments) {
  check_function({0.7, 2.5}, [](auto& t) {
    auto x = t.vector("x", Size<2>{});
    t += lbeta(x[0], x[1]) - lbeta(x[1], 1e6) + lbeta(0.5, x[0]);
  });
  check_function({1.7, -0.5}, [](auto& t) {
    auto x = t.vector("x", Size<2>{});
    t += log_diff_exp(x[0], x[1]) + log_diff_exp(x[0], -1.5) - log_diff_exp(30, x[0]);
  });
}
TEST(Functions, Powers) {
  check_function({1.7, 0.5, 2.25}, [](auto& t) {
    auto x = t.vector("x", Size<3>{});
    t += pow(x[0], x[1]) + pow(x[0], 2.5) - pow(2, x[1]) + pow(x[2], -0.5) + pow(x[2], -3) + pow(x[0], 7);
  });
  // Whole exponents of negative numbers.
  check_function({-1.7, -0.5}, [](auto& t) {
    auto x = t.vector("x", Size<2>{});
    t += pow(x[0], 2) + pow(x[0], 3.0) + pow(x[0], -1) + pow(x[1], 5) + pow(x[1], 1) + pow(x[1], 0) + pow(x[1], -2);
  });
}
// A whole number multiplies out, to the last bits; another one is exp(y log x), within the stated error.
TYPED_TEST(RealTest, PowersAreAccurate) {
  using R = TypeParam;
  using T = number_of<R>;
  const double eps = std::numeric_limits<T>::epsilon();
  for (int n : {-64, -5, -1, 0, 1, 2, 3, 10, 64})
    each_lane<R>(
        mirrored(logarithmic_grid<T>(0.3, 3, 40)), [&](R x) { return pow(Constant<R>(x), n).value(); },
        [&](T x, T got) {
          const double exact = std::pow(double(x), n);
          EXPECT_NEAR(double(got), exact, 64 * eps * std::fabs(exact)) << x << "^" << n;
        });
  for (double y : {-2.5, 0.125, 1.5, 7.75})
    each_lane<R>(
        logarithmic_grid<T>(1e-3, 1e3, 40), [&](R x) { return pow(Constant<R>(x), y).value(); },
        [&](T x, T got) {
          const double exact = std::pow(double(x), y);
          EXPECT_NEAR(double(got), exact, (2 + std::fabs(y * std::log(double(x)))) * eps * exact) << x << "^" << y;
        });
}
// At and beyond the ends: a limit where there is one, else NaN; never both in neighbours.
TYPED_TEST(RealTest, EndsOfFunctions) {
  using R = TypeParam;
  using T = number_of<R>;
  const auto at = [](double x, auto f) {
    return run_target<Request::value_and_gradient, R>(
        1, [&](int, int l) { return l % 2 ? 0.5 : x; },
        [&](auto& t) {
          auto v = t.vector("x", Size<1>{});
          t += f(v[0]);
        });
  };
  const auto expect = [&](double x, auto f, double value, double slope) {
    const auto got = at(x, f);
    EXPECT_EQ(ulps(got.value[0], value), 0) << x << ": " << got.value[0];
    EXPECT_EQ(ulps(got.gradient[0][0], slope), 0) << x << ": " << got.gradient[0][0];
    for (std::size_t l = 1; l < static_cast<std::size_t>(R::lanes); l += 2) {
      EXPECT_TRUE(std::isfinite(got.value[l]) && std::isfinite(got.gradient[0][l])) << x;
    }
  };
  const double infinity = std::numeric_limits<T>::infinity(), none = std::numeric_limits<T>::quiet_NaN();
  expect(
      0, [](auto x) { return pow(x, 2); }, 0, 0);
  expect(
      0, [](auto x) { return pow(x, 1); }, 0, 1);
  expect(
      0, [](auto x) { return pow(x, 0); }, 1, 0);
  expect(
      0, [](auto x) { return pow(x, 1.5); }, 0, 0);
  expect(
      0, [](auto x) { return pow(x, 0.5); }, 0, infinity);
  expect(
      -2, [](auto x) { return pow(x, 0.5); }, none, none);
  expect(
      0, [](auto x) { return pow(0, x + 1.0); }, 0, 0);
  expect(
      0, [](auto x) { return pow(x, x + 0.5); }, 0, 0);
  expect(
      0, [](auto x) { return pow(x, x + 1.0); }, 0, 1);
  expect(
      -0.5, [](auto x) { return lgamma(x); }, none, none);
  expect(
      -1.5, [](auto x) { return lgamma(x); }, none, none);
  expect(
      0, [](auto x) { return log_diff_exp(x, -std::numeric_limits<double>::infinity()); }, 0, 1);
}
// Every function takes data alone. x in (0, 2).
constexpr auto of_data = [](auto x) {
  return exp(x) + log(x) + log1p(x) + expm1(x) + sqrt(x) + square(x) + tanh(x) + atan(x) + abs(x) + inv_logit(x) +
         log1p_exp(x) + lgamma(x) + lbeta(x, 2.0) + Phi(x) + log_Phi(x) + erf(x) + erfc(x) + log1m_exp(-x) +
         log1m(0.5 * x) + log_diff_exp(x, -1.0) + logit(0.5 * x) + sin(x) + cos(x) + log_bessel_i0(x) + pow(x, 2) +
         pow(x, -0.5) + pow(2.0, x) + pow(x, x) + log_sum_exp(x, 1.0);
};
// Rows that are evaluated at once, data beside parameters, and powers that are whole numbers of the data.
TYPED_TEST(RealTest, FunctionsOfRows) {
  using R = TypeParam;
  using T = number_of<R>;
  std::vector<T> values;
  std::vector<int> powers;
  for (int j = 0; j < 19; ++j) values.push_back(static_cast<T>(0.25 + 0.0625 * j)), powers.push_back(j % 4);
  const auto term = [](auto x, auto k, auto a) {
    return lgamma(a + x) + lbeta(a, x) + Phi(a * x) + log_Phi(a - x) + pow(a, x) + pow(x, a) + sin(a * x) +
           log_bessel_i0(a + x) + log_diff_exp(a + 2.0, x) + pow(a, k) + a * of_data(x);
  };
  const auto at = [](int, int l) { return 0.75 + 0.03125 * l; };
  const auto rows = run_target<Request::value_and_gradient, R>(1, at, [&](auto& t) {
    auto a = t.vector("a", Size<1>{});
    const View<const T> x(values.data(), 19);
    const View<const int> k(powers.data(), 19);
    t.observe("x", Size<dynamic>(19), [&](auto j, auto& sum) { sum += term(x[j], k[j], a[0]); });
  });
  for (int l = 0; l < R::lanes; ++l) {
    const auto exact = run_target<Request::value_and_gradient, Scalar<double>>(
        1, [&](int, int) { return double(static_cast<T>(at(0, l))); },
        [&](auto& t) {
          auto a = t.vector("a", Size<1>{});
          for (std::size_t j = 0; j < 19; ++j) t += term(Scalar<double>(values[j]), powers[j], a[0]);
        });
    const std::size_t k = static_cast<std::size_t>(l);
    const double eps = 256 * std::numeric_limits<T>::epsilon();
    EXPECT_NEAR(rows.value[k], exact.value[0], eps * (1 + std::fabs(exact.value[0])));
    EXPECT_NEAR(rows.gradient[0][k], exact.gradient[0][0], eps * (1 + std::fabs(exact.gradient[0][0])));
  }
}

}  // namespace
}  // namespace manychain::test
