// Expressions of matrices: an element is computed when it is asked for.
#pragma once

#include "manychain/model/stored_matrix.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

namespace detail {
/// What an expression keeps of a matrix.
template <class M>
MANYCHAIN_HD auto hold_matrix(const M& m) {
  if constexpr (requires { m.matrix(); })
    return m.matrix();
  else
    return m;
}
}  // namespace detail

/// The matrix of matrix_of().
template <class Columns, class Body>
class MatrixOf {
 public:
  MANYCHAIN_HD MatrixOf(int rows, Columns columns, const Body& body) : rows_(rows), columns_(columns), body_(body) {}
  template <class Row>
  MANYCHAIN_HD auto operator[](const Row& i) const {
    const auto row = [body = body_, i](const auto& j) { return body(i, j); };
    return vector_of(columns_, row);
  }
  MANYCHAIN_HD int rows() const { return rows_; }
  MANYCHAIN_HD Columns columns() const { return columns_; }

 private:
  int rows_;
  Columns columns_;
  Body body_;
};
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
  return vector_of(m.rows(), body);
}
/// transpose(M): rows and columns change places. Source: its definition.
template <ModelMatrix M>
MANYCHAIN_HD auto transpose(const M& m) {
  const auto body = [matrix = detail::hold_matrix(m)](const auto& i, const auto& j) { return matrix[j][i]; };
  return matrix_of(m.columns(), m.rows(), body);
}
/// M * v: the product of a matrix and a vector, data or parameters each: element i is dot(M[i], v).
template <ModelMatrix M, ModelVector V>
MANYCHAIN_HD auto operator*(const M& m, const V& v) {
  const auto body = [matrix = detail::hold_matrix(m), vector = v.view()](const auto& i) {
    return dot(matrix[i], vector);
  };
  return vector_of(m.rows(), body);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
