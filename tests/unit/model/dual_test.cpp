// Forward mode: values and derivatives of whole functions, in every Real.
#include "manychain/model/recurrences/forward_mode.hpp"
#if __has_include("manychain/core/special_functions.hpp")
#include "manychain/core/special_functions.hpp"
#define MANYCHAIN_SPECIAL_FUNCTIONS 1
#endif
#include "manychain/model/distributions/distributions.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

template <class F>
void check_everywhere(const std::vector<double>& q, F density, double units = 256) {
  check_in_every_real(q, density, units);
}

// Each operator and function, with a number on either side, of two variables.
TEST(Dual, OperatorsAndFunctions) {
  const auto check = [](auto f) {
    check_everywhere({0.4, 0.7}, [f](auto& target) {
      auto x = target.vector("x", Size<2>{});
      target += forward_mode(f, x[0], x[1]);
    });
  };
  check([](auto x, auto y) { return x + y + 2 + 3 * y; });
  check([](auto x, auto y) { return (1.5 - x) - y - (x - 0.25); });
  check([](auto x, auto y) { return x * y * 0.5 + 2 * (x * x) * y; });
  check([](auto x, auto y) { return x / y + 2.0 / (1.5 + x) - y / 4; });
  check([](auto x, auto y) { return -x * +y; });
  check([](auto x, auto y) { return exp(x) * log(y) + log1p(x * y) - expm1(0.5 * y); });
  check([](auto x, auto y) { return sqrt(x + y) + square(x - 2 * y) + tanh(x) * atan(y); });
  check([](auto x, auto y) { return abs(x - y) + abs(y - 0.1) * inv_logit(x) + log1p_exp(x * y); });
  check([](auto x, auto y) { return lgamma(x + 0.5) * lgamma(2 * y); });
  check([](auto x, auto y) { return min(x, y) * 2 + max(x * y, y) + max(y, x); });
  check([](auto x, auto y) { return select(x < y, x * x, y) + select(x > 0.5, 3.0, y) + select(0.5 >= y, x, 1.0); });
  check([](auto x, auto y) { return pow(x, 3) + pow(y, -2) + pow(x - y, 2) + pow(x, 0) * y + pow(y - 1, 3.0); });
  check([](auto x, auto y) { return pow(x, y) + pow(y, 1.5) + pow(2.5, x) + pow(x, -0.5); });
  check([](auto x, auto y) {
    auto sum = x;
    sum += y;
    sum *= x;
    sum -= 0.5;
    sum /= y + 1;
    sum += 2;
    return sum;
  });
#if defined(MANYCHAIN_SPECIAL_FUNCTIONS)
  check([](auto x, auto y) { return sin(x * y) + cos(x - 2 * y); });
  check([](auto x, auto y) { return Phi(x) * erf(y) + erfc(x * y); });
#endif
}

TEST(Dual, WholePowersOfAnyNumber) {
  using R = Scalar<double>;
  for (const double x : {-1.5, 0.0, 2.0}) {
    for (int n = 0; n <= 5; ++n) {
      const auto got = pow(Dual<R, 1>::variable(R(x), 0), n);
      EXPECT_DOUBLE_EQ(got.v.v, std::pow(x, n)) << x << " to the power of " << n;
      EXPECT_DOUBLE_EQ(got.d[0].v, n == 0 ? 0 : n * std::pow(x, n - 1));
    }
    if (x == 0) continue;
    EXPECT_DOUBLE_EQ(pow(Dual<R, 1>::variable(R(x), 0), -3).d[0].v, -3 * std::pow(x, -4));
  }
  EXPECT_EQ(pow(Dual<R, 1>::variable(R(0), 0), 1.5).d[0].v, 0);
  for (const double y : {0.5, 1.0, 1.5}) {
    const auto at_zero = pow(Dual<R, 2>::variable(R(0), 0), Dual<R, 2>::variable(R(y), 1));
    EXPECT_EQ(at_zero.d[0].v, y == 1 ? 1 : 0) << y;
    EXPECT_EQ(at_zero.d[1].v, 0) << y;
  }
}

// A variable that changes in a loop over data, of parameters and expressions of these.
TEST(Dual, LoopsOverData) {
  check_everywhere({0.3, -0.4, 0.2}, [](auto& target) {
    using T = number_in<decltype(target)>;
    std::vector<T> numbers;
    for (int t = 0; t < 12; ++t) numbers.push_back(static_cast<T>(std::sin(2.1 * t)));
    const View<const T> y(numbers.data(), Size<dynamic>(12));
    auto a = target.real("a");
    auto b = target.real("b", lower(0));
    auto c = target.real("c", interval(-1, 1));
    const auto f = [&](const auto& level, const auto& scale, const auto& damping) {
      auto state = level;
      auto sum = 0.0 * level;
      for (int t = 0; t < y.size().value(); ++t) {
        const auto error = y[t] - state;
        sum -= square(error / scale);
        state = state + damping * tanh(error);
      }
      return sum - 12 * log(scale);
    };
    target += forward_mode(f, a, b, exp(c) * 0.3);
    target += 0.5 * square(forward_mode(f, a * c, 1.5, 0.25));
  });
}

// Vectors as arguments, arrays of one's own, several results: the solution of a 3 x 3 system by Cholesky's factor.
TEST(Dual, VectorsAndSeveralResults) {
  check_everywhere({0.3, -0.4, 0.2, 0.5}, [](auto& target) {
    auto b = target.vector("b", Size<3>{});
    auto rho = target.real("rho", interval(-0.4, 0.4));
    const auto solve = [](const auto& r, const auto& right, auto ridge) {
      using T = std::remove_cvref_t<decltype(r)>;
      T L[3][3], x[3];
      // (any code that does not branch on them)
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
          T sum = i == j ? T(1 + ridge) : r / (i - j);
          for (int k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
          L[i][j] = i == j ? sqrt(sum) : T(sum / L[j][j]);
        }
      }
      for (int i = 0; i < 3; ++i) {
        x[i] = right[i];
        for (int k = 0; k < i; ++k) x[i] -= L[i][k] * x[k];
        x[i] /= L[i][i];
      }
      return numbers(x[0], x[1], x[2], log(L[0][0] * L[1][1] * L[2][2]));
    };
    auto solved = target.let(forward_mode(solve, rho, b, 0.25));
    static_assert(decltype(solved.size())::compile_time == 4);
    target += -0.5 * (square(solved[0]) + square(solved[1]) + square(solved[2])) - solved[3];
    target += normal(forward_mode(solve, 0.5 * rho, b, 1.0), rho, 2.0);
  });
}

// In the body of observe(), a row at a time and several at once; data as arguments take no direction.
TEST(Dual, RowsOfData) {
  check_everywhere(
      {0.3, -0.4},
      [](auto& target) {
        using T = number_in<decltype(target)>;
        std::vector<T> numbers;
        for (int t = 0; t < 19; ++t) numbers.push_back(static_cast<T>(std::cos(1.3 * t)));
        const View<const T> x(numbers.data(), Size<dynamic>(19));
        auto a = target.real("a");
        auto b = target.real("b");
        const auto iterate = [](const auto& start, const auto& by, const auto& data) {
          auto u = start + data;
          for (int k = 0; k < 3; ++k) u = u * by + tanh(data - u);
          return u;
        };
        target.observe("x", 19,
                       [&](auto j, auto& term) { term += normal(x[j], forward_mode(iterate, a, b, x[j]), 1.5); });
        static_assert(detail::directions<decltype(as_node(x[0]))> == 0);
      },
      1024);
}

// The branch that is not chosen may be infinite: neither values nor derivatives of the other lanes are NaN.
TEST(Dual, SelectMasksDerivatives) {
  using R = Pack<double>;
  const auto got = run_target<Request::value_and_gradient, R>(
      1, [](int, int l) { return l % 2 == 0 ? -1.0 : 4.0; },
      [](auto& target) {
        const auto f = [](const auto& x) { return select(x > 0.0, sqrt(x), 3 * x); };
        target += forward_mode(f, target.real("x"));
      });
  for (int l = 0; l < R::lanes; ++l) {
    EXPECT_EQ(got.value[static_cast<std::size_t>(l)], l % 2 == 0 ? -3 : 2);
    EXPECT_EQ(got.gradient[0][static_cast<std::size_t>(l)], l % 2 == 0 ? 3 : 0.25);
  }
}

}  // namespace
}  // namespace manychain::test
