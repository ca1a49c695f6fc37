// Expressions of matrices: an element is computed when it is asked for.
#pragma once

#include "manychain/model/matrices/stored_matrix.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

namespace detail {
/// A body that takes whole numbers alone, though a template says nothing of it.
template <class Body>
struct IntIndexed {
  Body body;
  MANYCHAIN_HD auto operator()(int i) const { return body(i); }
  MANYCHAIN_HD auto operator()(int i, int j) const { return body(i, j); }
};
template <bool Ranges, class Body>
MANYCHAIN_HD auto index_as(const Body& body) {
  if constexpr (Ranges)
    return body;
  else
    return IntIndexed<Body>{body};
}
/// True if several rows of a matrix may be asked for at once.
template <class M>
inline constexpr bool has_row_ranges = requires(const M& m) {
  m[RowRange<2>{0}];
};
/// True if a body takes several columns of a row at once. Of several rows it is given one column, and is not asked: a
/// body without constraints says yes, and then does not compile.
template <class Body, class Row>
inline constexpr bool takes_column_ranges = false;
template <class Body>
inline constexpr bool takes_column_ranges<Body, int> = std::is_invocable_v<const Body&, int, RowRange<2>>;
}  // namespace detail

/// The matrix of matrix_of().
template <class Columns, class Body>
class MatrixOf {
 public:
  MANYCHAIN_HD MatrixOf(int rows, Columns columns, const Body& body) : rows_(rows), columns_(columns), body_(body) {}
  template <class Row>
  MANYCHAIN_HD auto operator[](const Row& i) const {
    const auto row = [body = body_, i](const auto& j) { return body(i, j); };
    return vector_of(columns_, detail::index_as<detail::takes_column_ranges<Body, Row>>(row));
  }
  MANYCHAIN_HD int rows() const { return rows_; }
  MANYCHAIN_HD Columns columns() const { return columns_; }

 private:
  int rows_;
  Columns columns_;
  Body body_;
};
namespace detail {
template <class Columns, class Body>
inline constexpr bool has_row_ranges<MatrixOf<Columns, Body>> = std::is_invocable_v<const Body&, RowRange<2>, int>;
}  // namespace detail
/// matrix_of(rows, columns, body): body(i, j) in row i and column j: a covariance function, for example. Source: its
/// definition.
template <class Rows, class Columns, class Body>
MANYCHAIN_HD auto matrix_of(Rows rows, Columns columns, const Body& body) {
  return MatrixOf<decltype(as_size(columns)), Body>(as_size(rows).value(), as_size(columns), body);
}

/// column(M, j): column j, counted from 0, as a vector. Source: its definition.
template <ModelMatrix M>
MANYCHAIN_HD auto column(const M& m, int j) {
  const auto body = [matrix = detail::hold_matrix(m), j](const auto& i) { return matrix[i][j]; };
  return vector_of(m.rows(), detail::index_as<detail::has_row_ranges<M>>(body));
}
/// transpose(M): rows and columns change places. Source: its definition.
template <ModelMatrix M>
MANYCHAIN_HD auto transpose(const M& m) {
  const auto body = [matrix = detail::hold_matrix(m)](const auto& i, const auto& j) { return matrix[j][i]; };
  return matrix_of(m.columns(), m.rows(), detail::index_as<detail::has_row_ranges<M>>(body));
}
/// M * v: the product of a matrix and a vector, data or parameters each: element i is dot(M[i], v).
template <ModelMatrix M, ModelVector V>
MANYCHAIN_HD auto operator*(const M& m, const V& v) {
  const auto body = [matrix = detail::hold_matrix(m), vector = v.view()](const auto& i) {
    return dot(matrix[i], vector);
  };
  return vector_of(m.rows(), detail::index_as<detail::has_row_ranges<M>>(body));
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
