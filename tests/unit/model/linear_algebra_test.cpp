// Cholesky factors, triangular solutions and what rests on them: values and gradients in every Real.
#include "manychain/model/matrices/linear_algebra.hpp"

#include "manychain/chain/check_model.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

template <class F>
void check_everywhere(const std::vector<double>& q, F density, double units = 512) {
  check_in_every_real(q, density, units);
}
template <class T>
std::vector<T> series(int n, double by = 2.1) {
  std::vector<T> y;
  for (int t = 0; t < n; ++t) y.push_back(static_cast<T>(std::sin(by * t) + 0.2 * (t % 4)));
  return y;
}
std::vector<double> point(int n) {
  std::vector<double> q;
  for (int i = 0; i < n; ++i) q.push_back(0.3 * std::cos(1.7 * i) + 0.1);
  return q;
}

/// A matrix of n rows from two parameters, well conditioned.
template <class N, class A, class B>
auto covariance(N n, const A& first, const B& second) {
  return matrix_of(n, n, [a = as_node(first), b = as_node(second)](int i, int j) {
    const double d = 0.4 * std::abs(i - j);
    return exp(-d * b) * (1 + 0.1 * a * a) + (i == j ? 1.5 : 0.0) + 0.02 * a * std::cos(i + j);
  });
}

// Sizes below, at and above a tile, with and without a remainder; small ones in registers.
TEST(Cholesky, Gradients) {
  const auto density = [](auto n, auto& target) {
    using T = number_in<decltype(target)>;
    const int size = n.value();
    const auto numbers = series<T>(size);
    const View<const T> y(numbers.data(), Size<dynamic>(size));
    auto a = target.real("a");
    auto b = target.real("b", lower(0.5));
    auto L = target.cholesky(covariance(n, a, b));
    auto z = target.solve_lower(L, y - a);
    target += -0.5 * sum(square(z)) - log_determinant(L);
    target += -0.1 * square(L[size - 1][0] + b) + L[size / 2][size / 3] * a + L[0][size - 1];
  };
  for (int n : {1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 21})
    check_everywhere({0.3, -0.4}, [&](auto& target) { density(Size<dynamic>(n), target); });
  check_everywhere({0.3, -0.4}, [&](auto& target) { density(Size<1>{}, target); });
  check_everywhere({0.3, -0.4}, [&](auto& target) { density(Size<3>{}, target); });
  check_everywhere({0.3, -0.4}, [&](auto& target) { density(Size<6>{}, target); });
  check_everywhere({0.3, -0.4}, [&](auto& target) { density(Size<9>{}, target); });
}

// Every element of the factor, every element of a matrix of parameters.
TEST(Cholesky, EveryElement) {
  for (int n : {2, 6, 9}) {
    check_everywhere(point(n * n), [n](auto& target) {
      auto A = target.matrix("A", n, n);
      auto L = target.cholesky(matrix_of(n, n, [&](int i, int j) { return 0.2 * A[i][j] + (i == j ? n : 0.1); }));
      for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) target += std::cos(1.3 * i + j) * L[i][j] + 0.2 * square(L[i][j]);
    });
  }
}

// L L' is the matrix, to rounding.
TEST(Cholesky, FactorsTheMatrix) {
  using R = Scalar<double>;
  for (int n : {1, 3, 6, 12, 50, 103}) {
    Outcome<R> outcome = run_target<Request::value, R>(
        1, [](int, int) { return 0.3; },
        [n](auto& target) {
          std::vector<R> memory(static_cast<std::size_t>(n * n + 3 * n + 2));
          auto b = target.real("b");
          const auto A = covariance(n, b, 1 + b);
          detail::fill_triangle<R>(A, Size<dynamic>(n), Strided<R>{memory.data(), 1});
          detail::cholesky_in_place<R>(Size<dynamic>(n), Strided<R>{memory.data(), 1});
          for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j) {
              double sum = 0;
              for (int k = 0; k <= j; ++k)
                sum += memory[static_cast<std::size_t>(detail::row_begin(i) + k)].v *
                       memory[static_cast<std::size_t>(detail::row_begin(j) + k)].v;
              EXPECT_NEAR(sum, A[i][j].value().v, 4e-15) << n << ": " << i << ", " << j;
            }
        });
  }
}

// A lane whose matrix is not positive definite has a log density that is no number; the others are as they are alone.
TEST(Cholesky, NotPositiveDefiniteInOneLane) {
  using R = Pack<double>;
  for (int n : {2, 5, 12}) {
    const auto density = [n](auto& target) {
      auto c = target.real("c");
      auto x = target.vector("x", n);
      auto L = target.cholesky(
          matrix_of(n, n, [&](int i, int j) { return select(i == j, 1.0, c / std::max(1, std::abs(i - j))); }));
      auto z = target.solve_lower(L, x);
      target += -0.5 * sum(square(z)) - log_determinant(L);
    };
    const auto at = [](int i, int l) { return i > 0 ? 0.1 * i : l == 3 ? 1.5 : l == 5 ? 1.0 : 0.05 * l; };
    const auto all = run_target<Request::value_and_gradient, R>(n + 1, at, density);
    const auto tame = run_target<Request::value_and_gradient, R>(
        n + 1, [&](int i, int l) { return l == 3 || l == 5 ? at(i, 0) : at(i, l); }, density);
    for (std::size_t l = 0; l < R::lanes; ++l) {
      if (l == 3) {
        EXPECT_TRUE(std::isnan(all.value[l])) << n;
      } else if (l == 5) {  // singular
        EXPECT_FALSE(std::isfinite(all.value[l])) << n;
      } else {
        EXPECT_EQ(all.value[l], tame.value[l]);
        for (std::size_t i = 0; i <= static_cast<std::size_t>(n); ++i) {
          EXPECT_TRUE(std::isfinite(all.gradient[i][l]));
          EXPECT_EQ(all.gradient[i][l], tame.gradient[i][l]);
        }
      }
    }
  }
}

// Products, scaled rows, quadratic forms, matrices as intermediates.
TEST(LinearAlgebra, Functions) {
  for (int n : {1, 4, 7})
    check_everywhere(point(2 * n + 1), [n](auto& target) {
      using T = number_in<decltype(target)>;
      const auto numbers = series<T>(n);
      const View<const T> y(numbers.data(), Size<dynamic>(n));
      auto x = target.vector("x", n);
      auto sigma = target.vector("sigma", n, lower(0.3));
      auto b = target.real("b");
      auto L = target.cholesky(add_diagonal(covariance(n, b, 1 + 0.1 * b), 0.1 * sigma));
      auto scaled = diag_pre_multiply(sigma, L);
      auto z = target.solve_lower(scaled, x);
      target += -0.5 * dot(z, z) - 2 * log_determinant(scaled);
      auto v = target.let(L * x + scaled * y);
      target += -0.1 * sum(square(v)) * b;
      auto S = target.let(multiply_lower_tri_self_transpose(scaled));
      target += -0.2 * quad_form_sym(S, v) + 0.3 * square(quad_form_sym(S, y)) - square(S[n - 1][n / 2]);
      auto W = target.let(diag_pre_multiply(sigma, S));
      target += dot(W[n / 2], y) - square(W[0][n - 1]);
    });
}

// Each element of a matrix that is an intermediate is computed once.
TEST(LinearAlgebra, LetOfAMatrix) {
  int evaluated = 0;
  run_target<Request::value, Scalar<double>>(
      1, [](int, int) { return 0.5; },
      [&](auto& target) {
        auto b = target.real("b");
        auto M = target.let(matrix_of(3, 4, [&](int i, int j) { return ++evaluated, b * i + j; }));
        EXPECT_EQ(M.rows(), 3);
        EXPECT_EQ(M.columns().value(), 4);
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 4; ++j) EXPECT_EQ(M[i][j].value().v, 0.5 * i + j);
      });
  EXPECT_EQ(evaluated, 12);
}

// The memory that the host counts is that which an evaluation takes.
TEST(LinearAlgebra, WorkingMemory) {
  const auto density = [](auto& target) {
    auto x = target.vector("x", 9);
    auto L = target.cholesky(matrix_of(9, 9, [&](int i, int j) { return select(i == j, 2 + x[i], 0.1 * x[j]); }));
    auto z = target.solve_lower(L, x);
    target += -sum(square(z));
    return 2 * (9 * 10 / 2 + 1 + 9) + 2 * 9;
  };
  LayoutTarget<double> layout;
  const int expected = density(layout);
  EXPECT_EQ(layout.finish().scratch, static_cast<std::size_t>(expected));
  int used = 0;
  run_target<Request::gradient, Scalar<double>>(
      9, [](int, int) { return 0.1; },
      [&](auto& target) {
        auto x = target.vector("x", 9);
        auto L = target.cholesky(matrix_of(9, 9, [&](int i, int j) { return select(i == j, 2 + x[i], 0.1 * x[j]); }));
        auto z = target.solve_lower(L, x);
        used = target.arena().used;
      });
  EXPECT_EQ(used, expected);
}

}  // namespace
}  // namespace manychain::test
