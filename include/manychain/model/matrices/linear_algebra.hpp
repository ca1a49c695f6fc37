// Statements about small dense matrices: what target.cholesky(A) and target.solve_lower(L, v) make, and functions of
// matrices. Values and adjoints lie in the arena; of small fixed sizes in registers.
#pragma once

#include <utility>

#include "manychain/model/matrices/cholesky.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The solution z of L z = v. Adjoints: u = L'^-1 z', of v u, of L the lower triangle of -u z'.
template <class L, class V, class R, class N, bool Gradient>
class LowerSolution : public IntermediateVector<LowerSolution<L, V, R, N, Gradient>, R, N, Gradient> {
  using Base = IntermediateVector<LowerSolution, R, N, Gradient>;

 public:
  MANYCHAIN_HD LowerSolution(const L& factor, const V& right, N n, Arena<R>& arena)
      : Base(n, arena), factor_(factor), right_(right) {
    forward(factor_, right_, n, this->values());
    this->clear_adjoints();
  }
  template <class Z>
  MANYCHAIN_HD static void forward(const L& factor, const V& right, N n, Z&& memory) {
    auto&& z = detail::local(memory);
    for_each(n, [&](int i) {
      const auto row = factor[i];
      R next = R(0), other = R(0);  // change places: half the latency of one sum
      detail::for_range<is_unrolled<N>>(0, i, [&](int j) {
        const R sum = fma(R(as_node(row[j]).value()), R(z[j]), next);
        next = other;
        other = sum;
      });
      z[i] = (R(as_node(right[i]).value()) - (next + other)) * R(detail::reciprocal_of(factor, i));
    });
  }
  MANYCHAIN_HD ~LowerSolution() {
    if constexpr (Gradient) {
      auto&& z = detail::local(this->values());
      auto&& adjoint = detail::local(this->adjoints());
      for_each(this->size(), [&](int back) {
        const int i = this->size().value() - 1 - back;
        const auto row = factor_[i];
        const R u = adjoint[i] * R(detail::reciprocal_of(factor_, i)), minus_u = -u;
        as_node(right_[i]).push(u, NoMask{});
        detail::for_range<is_unrolled<N>>(0, i, [&](int j) {
          const auto element = as_node(row[j]);
          adjoint[j] = fma(R(element.value()), minus_u, adjoint[j]);
          element.push(minus_u, R(z[j]), NoMask{});
        });
        as_node(row[i]).push(minus_u, R(z[i]), NoMask{});
      });
    }
  }
  LowerSolution(const LowerSolution&) = default;  // the base refuses
  LowerSolution& operator=(const LowerSolution&) = default;

 private:
  L factor_;
  V right_;
};

/// sum_i log L[i][i].
template <class L>
struct LogDiagonal : NoNumber<ExpressionTag, LogDiagonal<L>> {
  L factor;
  using R = std::remove_cvref_t<value_of<decltype(std::declval<L>()[0][0])>>;
  R v;
  MANYCHAIN_HD explicit LogDiagonal(const L& lower) : factor(lower), v(0) {
    for_each(factor.columns(), [&](int i) { v += log(R(as_node(factor[i][i]).value())); });
  }
  MANYCHAIN_HD R value() const { return v; }
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    for_each(factor.columns(), [&](int i) {
      const R reciprocal = R(detail::reciprocal_of(factor, i));
      if constexpr (std::is_same_v<A, One>)
        as_node(factor[i][i]).push(reciprocal, m);
      else
        as_node(factor[i][i]).push(a, reciprocal, m);
    });
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor_of, M m) const {
    push(a * factor_of, m);
  }
};

/// x' A x of a symmetric matrix, of which the lower triangle is read.
template <class A, class V>
struct QuadraticForm : NoNumber<ExpressionTag, QuadraticForm<A, V>> {
  A matrix;
  V vector;
  using R = std::remove_cvref_t<decltype(std::declval<value_of<decltype(std::declval<A>()[0][0])>>() *
                                         std::declval<value_of<decltype(std::declval<V>()[0])>>())>;
  R v;
  MANYCHAIN_HD QuadraticForm(const A& a, const V& x) : matrix(a), vector(x), v(0) {
    for_each(vector.size(), [&](int i) {
      R sum = R(0);
      for (int j = 0; j < i; ++j) sum = fma(element(i, j), at(j), sum);
      v = fma(at(i), fma(R(2), sum, element(i, i) * at(i)), v);
    });
  }
  MANYCHAIN_HD R value() const { return v; }
  template <class Adjoint, class M>
  MANYCHAIN_HD void push(Adjoint adjoint, M m) const {
    const R a = detail::adjoint_in<R>(adjoint);
    for_each(vector.size(), [&](int i) {
      const R x = at(i), twice = R(2) * (a * x);
      for (int j = 0; j < i; ++j) {
        as_node(matrix[i][j]).push(twice, at(j), m);
        as_node(vector[i]).push(R(2) * (a * at(j)), element(i, j), m);
        as_node(vector[j]).push(twice, element(i, j), m);
      }
      as_node(matrix[i][i]).push(a * x, x, m);
      as_node(vector[i]).push(twice, element(i, i), m);
    });
  }
  template <class Adjoint, class F, class M>
  MANYCHAIN_HD void push(Adjoint adjoint, F factor, M m) const {
    push(adjoint * factor, m);
  }

 private:
  MANYCHAIN_HD R element(int i, int j) const { return R(as_node(matrix[i][j]).value()); }
  MANYCHAIN_HD R at(int i) const { return R(as_node(vector[i]).value()); }
};

// The functions of a target call these (model/matrices/matrix_statements.hpp). They make the intermediate itself, or,
// of a target of the host that lays out memory, values that are computed where one is asked for.

/// True if a target evaluates; false if it learns on the host what is to be evaluated.
template <class Target>
inline constexpr bool evaluates = requires {
  Target::gradient;
};

namespace detail {
template <class A>
MANYCHAIN_HD void check_square(const char* what, const A& matrix) {
  if constexpr (checks_bounds)
    checks::same_size(what, checks::Operand{matrix.rows(), "rows of the matrix"},
                      checks::Operand{matrix.columns().value(), "columns of the matrix"});
}
template <class A, class B>
MANYCHAIN_HD void check_order(const char* what, const A& matrix, const B& vector) {
  if constexpr (checks_bounds)
    checks::same_size(what, checks::Operand{matrix.columns().value(), "matrix"}, checked_operand(vector));
}
}  // namespace detail

template <class Target, class A>
MANYCHAIN_HD auto make_cholesky(Target& target, const A& matrix) {
  using R = typename Target::real_type;
  detail::check_square("cholesky()", matrix);
  const auto held = detail::hold_matrix(matrix);
  const auto n = matrix.columns();
  using Held = std::remove_const_t<decltype(held)>;
  using N = std::remove_cvref_t<decltype(n)>;
  if constexpr (evaluates<Target>) {
    using Factor = CholeskyFactor<Held, R, N, Target::gradient>;
    return StoredTriangle<Factor, N, false>([&] { return Factor(held, n, target.arena()); }, n);
  } else {
    const auto elements = target.intermediate("cholesky", detail::factor_size(n), [held, n](Strided<R> L) {
      detail::fill_triangle<R>(held, n, L);
      detail::cholesky_in_place<R>(Size<dynamic>(n.value()), L);
    });
    return TriangleReference<std::remove_const_t<decltype(elements)>, N, false>(elements, n);
  }
}

template <class Target, class L, class V>
MANYCHAIN_HD auto make_lower_solution(Target& target, const L& factor, const V& right) {
  using R = typename Target::real_type;
  static_assert(LowerTriangular<L>,
                "solve_lower(L, v) takes a lower triangular matrix: target.cholesky(A), target.cholesky_corr(...), "
                "target.cholesky_cov(...), diag_pre_multiply(sigma, L)");
  detail::check_order("solve_lower()", factor, right);
  const auto held = detail::hold_matrix(factor);
  const auto v = right.view();
  const auto n = right.size();
  using N = std::remove_cvref_t<decltype(n)>;
  using Held = std::remove_const_t<decltype(held)>;
  using View = std::remove_const_t<decltype(v)>;
  if constexpr (evaluates<Target>)
    return LowerSolution<Held, View, R, N, Target::gradient>(held, v, n, target.arena());
  else
    return target.intermediate("solve_lower", n, [held, v, n](Strided<R> z) {
      LowerSolution<Held, View, R, N, false>::forward(held, v, n, z);
    });
}

/// log_determinant(L): the logarithm of the determinant of a lower triangular matrix, sum_i log L[i][i]; of A = L L' it
/// is twice that. Source: its definition.
template <LowerTriangular L>
MANYCHAIN_HD auto log_determinant(const L& factor) {
  const auto held = detail::hold_matrix(factor);
  return LogDiagonal<std::remove_const_t<decltype(held)>>(held);
}

/// quad_form_sym(A, x): x' A x of a symmetric matrix, of which the lower triangle is read. Source: Stan Functions
/// Reference, Matrix arithmetic.
template <ModelMatrix A, ModelVector V>
MANYCHAIN_HD auto quad_form_sym(const A& matrix, const V& vector) {
  detail::check_square("quad_form_sym()", matrix);
  detail::check_order("quad_form_sym()", matrix, vector);
  const auto held = detail::hold_matrix(matrix);
  return QuadraticForm<std::remove_const_t<decltype(held)>, decltype(vector.view())>(held, vector.view());
}

/// diag_pre_multiply(s, M): row i of the matrix times s[i]; lower triangular if the matrix is. Of a Cholesky factor of
/// a correlation matrix and standard deviations it is that of the covariance matrix. Source: Stan Functions Reference,
/// Matrix arithmetic.
template <ModelVector S, ModelMatrix M>
MANYCHAIN_HD auto diag_pre_multiply(const S& scale, const M& matrix) {
  detail::check_order("diag_pre_multiply()", matrix, scale);
  const auto held = detail::hold_matrix(matrix);
  if constexpr (LowerTriangular<M>) {
    return ScaledRows<decltype(scale.view()), std::remove_const_t<decltype(held)>>(scale.view(), held);
  } else {
    const auto body = [s = scale.view(), held](int i, int j) { return s[i] * held[i][j]; };
    return matrix_of(matrix.rows(), matrix.columns(), body);
  }
}

/// multiply_lower_tri_self_transpose(L): L L', lazily: each element costs a product of rows. Give it to target.let().
/// Source: Stan Functions Reference, Matrix arithmetic.
template <LowerTriangular L>
MANYCHAIN_HD auto multiply_lower_tri_self_transpose(const L& factor) {
  const auto body = [held = detail::hold_matrix(factor)](int i, int j) {
    return detail::inner_product(held[i], held[j], (i < j ? i : j) + 1);
  };
  return matrix_of(factor.columns(), factor.columns(), body);
}

/// add_diagonal(A, s): A + s I, s a number, or a vector with an element for each row. Source: Stan Functions Reference,
/// Covariance functions.
template <class K, class S>
struct PlusOnDiagonal : NoNumber<ExpressionTag, PlusOnDiagonal<K, S>> {
  K element;
  S addend;
  bool diagonal;
  MANYCHAIN_HD PlusOnDiagonal(const K& k, const S& s, bool on) : element(k), addend(s), diagonal(on) {}
  MANYCHAIN_HD auto value() const {
    using V = std::remove_cvref_t<decltype(element.value() + addend.value())>;
    return diagonal ? V(element.value() + addend.value()) : V(element.value());
  }
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    element.push(a, m);
    if (diagonal) addend.push(a, m);
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor, M m) const {
    element.push(a, factor, m);
    if (diagonal) addend.push(a, factor, m);
  }
};
template <ModelMatrix A, detail::VectorArgument S>
MANYCHAIN_HD auto add_diagonal(const A& matrix, const S& addend) {
  detail::check_square("add_diagonal()", matrix);
  if constexpr (ModelVector<S>) detail::check_order("add_diagonal()", matrix, addend);
  const auto body = [held = detail::hold_matrix(matrix), s = detail::hold(addend)](int i, int j) {
    const auto element = as_node(held[i][j]);
    const auto on_diagonal = as_node(detail::element_at(s, i));
    return PlusOnDiagonal<node_of<decltype(element)>, node_of<decltype(on_diagonal)>>(element, on_diagonal, i == j);
  };
  return matrix_of(matrix.rows(), matrix.columns(), body);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
