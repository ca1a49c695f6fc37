// Square matrices of which the lower triangle lies in a vector, row by row: Cholesky factors, symmetric matrices.
#pragma once

#include <utility>

#include "manychain/model/matrices/intermediate_vectors.hpp"
#include "manychain/model/matrices/matrix_expression.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

namespace detail {
/// Position of the first element of row i.
MANYCHAIN_HD int row_begin(int i) { return i * (i + 1) / 2; }

/// The lower triangle, a zero that stands for the upper one, and the reciprocals of the diagonal, with which solutions
/// multiply where they would divide.
template <int N>
MANYCHAIN_HD auto factor_size(Size<N> n) {
  if constexpr (N == dynamic)
    return Size<dynamic>(row_begin(n.value()) + 1 + n.value());
  else
    return Size<N*(N + 1) / 2 + 1 + N>{};
}
template <int N>
MANYCHAIN_HD auto triangle_size(Size<N> n) {
  if constexpr (N == dynamic)
    return Size<dynamic>(row_begin(n.value()));
  else
    return Size<N*(N + 1) / 2>{};
}
template <class N>
using FactorSize = decltype(factor_size(std::declval<N>()));
template <class N>
using TriangleSize = decltype(triangle_size(std::declval<N>()));
}  // namespace detail

/// A row of a lower triangular matrix (zeros behind the diagonal), or of a symmetric one.
template <class V, class N, bool Symmetric>
class TriangleRow {
 public:
  MANYCHAIN_HD TriangleRow(const V& elements, int row, N n) : elements_(elements), row_(row), n_(n) {}
  MANYCHAIN_HD auto operator[](int column) const {
    if constexpr (checks_bounds) checks::index({n_.value(), "row of a matrix", nullptr}, column);
    if constexpr (Symmetric)
      return elements_[column > row_ ? detail::row_begin(column) + row_ : detail::row_begin(row_) + column];
    else
      return elements_[column > row_ ? detail::row_begin(n_.value()) : detail::row_begin(row_) + column];
  }
  MANYCHAIN_HD N size() const { return n_; }
  MANYCHAIN_HD TriangleRow view() const { return *this; }

 private:
  V elements_;
  int row_;
  N n_;
};

/// The reference that expressions hold to such a matrix. An index is an int: rows of data that are evaluated several at
/// once (`auto j`) select none.
template <class V, class N, bool Symmetric>
class TriangleReference {
 public:
  static constexpr bool lower_triangular = !Symmetric;
  MANYCHAIN_HD TriangleReference(const V& elements, N n) : elements_(elements), n_(n) {}
  MANYCHAIN_HD auto operator[](int row) const {
    if constexpr (checks_bounds) checks::index({n_.value(), "matrix", nullptr}, row);
    return TriangleRow<V, N, Symmetric>(elements_, row, n_);
  }
  MANYCHAIN_HD int rows() const { return n_.value(); }
  MANYCHAIN_HD N columns() const { return n_; }
  MANYCHAIN_HD TriangleReference matrix() const { return *this; }
  /// 1 / L[i][i] of a factor, a value.
  MANYCHAIN_HD auto reciprocal(int i) const requires(!Symmetric) {
    return elements_[detail::row_begin(n_.value()) + 1 + i].value();
  }

 private:
  V elements_;
  N n_;
};

/// One that owns the intermediate in which it lies.
template <class V, class N, bool Symmetric>
class StoredTriangle {
 public:
  static constexpr bool lower_triangular = !Symmetric;
  /// `elements()` makes the intermediate.
  template <class Elements>
  MANYCHAIN_HD StoredTriangle(const Elements& elements, N n) : elements_(elements()), n_(n) {}
  MANYCHAIN_HD auto operator[](int row) const { return matrix()[row]; }
  MANYCHAIN_HD int rows() const { return n_.value(); }
  MANYCHAIN_HD N columns() const { return n_; }
  MANYCHAIN_HD auto matrix() const {
    return TriangleReference<decltype(elements_.view()), N, Symmetric>(elements_.view(), n_);
  }

 private:
  V elements_;
  N n_;
};

/// A matrix of which nothing but the lower triangle is read: a Cholesky factor, or one with scaled rows.
template <class M>
concept LowerTriangular = ModelMatrix<M> && std::remove_cvref_t<M>::lower_triangular;

/// sum_k a[k] b[k] for k < n: a piece of a row.
template <class A, class B>
struct InnerProduct : NoNumber<ExpressionTag, InnerProduct<A, B>> {
  A a;
  B b;
  int n;
  using R = std::remove_cvref_t<decltype(std::declval<value_of<decltype(std::declval<A>()[0])>>() *
                                         std::declval<value_of<decltype(std::declval<B>()[0])>>())>;
  R v;
  MANYCHAIN_HD InnerProduct(const A& x, const B& y, int count) : a(x), b(y), n(count), v(0) {
    for (int k = 0; k < n; ++k) v = fma(R(as_node(a[k]).value()), R(as_node(b[k]).value()), v);
  }
  MANYCHAIN_HD R value() const { return v; }
  template <class Adjoint, class M>
  MANYCHAIN_HD void push(Adjoint adjoint, M m) const {
    for (int k = 0; k < n; ++k) {
      const auto x = as_node(a[k]);
      const auto y = as_node(b[k]);
      const R u = R(x.value()), w = R(y.value());
      if constexpr (std::is_same_v<Adjoint, One>) {
        x.push(w, m);
        y.push(u, m);
      } else {
        x.push(adjoint, w, m);
        y.push(adjoint, u, m);
      }
    }
  }
  template <class Adjoint, class F, class M>
  MANYCHAIN_HD void push(Adjoint adjoint, F factor, M m) const {
    push(adjoint * factor, m);
  }
};
namespace detail {
template <class A, class B>
MANYCHAIN_HD auto inner_product(const A& a, const B& b, int n) {
  return InnerProduct<decltype(a.view()), decltype(b.view())>(a.view(), b.view(), n);
}
/// An adjoint as a number.
template <class R, class Adjoint>
MANYCHAIN_HD R adjoint_in(const Adjoint& adjoint) {
  if constexpr (std::is_same_v<Adjoint, One>)
    return R(1);
  else
    return R(adjoint);
}
/// The reciprocal of L[i][i], kept where L is a factor of this library.
template <class L>
MANYCHAIN_HD auto reciprocal_of(const L& factor, int i) {
  if constexpr (requires { factor.reciprocal(i); })
    return factor.reciprocal(i);
  else
    return 1.0 / as_node(factor[i][i]).value();
}
}  // namespace detail

/// L v of a lower triangular matrix, lazily: half the operations of a full product.
template <LowerTriangular M, ModelVector V>
MANYCHAIN_HD auto operator*(const M& m, const V& v) {
  if constexpr (checks_bounds)
    checks::same_size("operator *", checks::Operand{m.columns().value()}, detail::checked_operand(v));
  const auto body = [matrix = detail::hold_matrix(m), vector = v.view()](int i) {
    return detail::inner_product(matrix[i], vector, i + 1);
  };
  return vector_of(m.columns(), body);
}

/// diag(s) L, lazily.
template <class S, class M>
class ScaledRows {
 public:
  static constexpr bool lower_triangular = M::lower_triangular;
  MANYCHAIN_HD ScaledRows(const S& scale, const M& matrix) : scale_(scale), matrix_(matrix) {}
  MANYCHAIN_HD auto operator[](int i) const {
    const auto row = [s = scale_, matrix = matrix_, i](int j) { return s[i] * matrix[i][j]; };
    return vector_of(matrix_.columns(), row);
  }
  MANYCHAIN_HD int rows() const { return matrix_.rows(); }
  MANYCHAIN_HD auto columns() const { return matrix_.columns(); }

 private:
  S scale_;
  M matrix_;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
