// Matrices whose elements lie in a vector, row by row: parameters, intermediates, the states of a recurrence.
#pragma once

#include "manychain/model/matrices/parameter_vectors.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The size of a matrix of so many rows and columns.
template <int A, int B>
MANYCHAIN_HD auto multiply_sizes(Size<A> rows, Size<B> columns) {
  if constexpr (A == dynamic || B == dynamic)
    return Size<dynamic>(rows.value() * columns.value());
  else
    return Size<A * B>{};
}

namespace detail {
MANYCHAIN_HD int times(int row, int columns) { return row * columns; }
template <int K>
MANYCHAIN_HD RowNumbers<int, K> times(RowRange<K> rows, int columns) {
  RowNumbers<int, K> result;
  MANYCHAIN_UNROLL
  for (int k = 0; k < K; ++k) result.x[k] = (rows.first + k) * columns;
  return result;
}
template <int K>
MANYCHAIN_HD RowNumbers<int, K> times(const RowNumbers<int, K>& rows, int columns) {
  return rows * columns;
}
}  // namespace detail

/// `first`, `first + 1`, ... of `whole`: a row, or one for each of several terms that are evaluated at once.
template <class V, class Index, class N>
class MatrixRow {
 public:
  MANYCHAIN_HD MatrixRow(const V& whole, const Index& first, N size) : whole_(whole), first_(first), size_(size) {}
  template <class Column>
  MANYCHAIN_HD auto operator[](const Column& column) const {
    return whole_[column + first_];
  }
  MANYCHAIN_HD N size() const { return size_; }
  MANYCHAIN_HD MatrixRow view() const { return *this; }

 private:
  V whole_;
  Index first_;
  N size_;
};

namespace detail {
template <class V, class Index, class N>
inline constexpr bool takes_rows<MatrixRow<V, Index, N>> = std::is_same_v<Index, int>&& takes_rows<V>;
}  // namespace detail

/// Base of a matrix: with zeros above its diagonal it is LowerTriangular (model/matrices/triangular_matrix.hpp).
template <bool Lower>
struct ZerosAbove {};
template <>
struct ZerosAbove<true> {
  static constexpr bool lower_triangular = true;
};

/// The reference that expressions hold to a matrix.
template <class V, class Columns, bool Lower = false>
class MatrixReference : public ZerosAbove<Lower> {
 public:
  MANYCHAIN_HD MatrixReference(const V& elements, int rows, Columns columns)
      : elements_(elements), rows_(rows), columns_(columns) {}
  template <class Row>
  MANYCHAIN_HD auto operator[](const Row& row) const {
    const auto first = detail::times(row, columns_.value());
    return MatrixRow<V, std::remove_cvref_t<decltype(first)>, Columns>(elements_, first, columns_);
  }
  MANYCHAIN_HD int rows() const { return rows_; }
  MANYCHAIN_HD Columns columns() const { return columns_; }
  MANYCHAIN_HD MatrixReference matrix() const { return *this; }

 private:
  V elements_;
  int rows_;
  Columns columns_;
};

/// A matrix that owns the vector in which it lies. Where that is an intermediate, so is the matrix.
template <class V, class Columns, bool Lower = false>
class StoredMatrix : public ZerosAbove<Lower> {
 public:
  /// `elements()` makes the vector.
  template <class Elements>
  MANYCHAIN_HD StoredMatrix(const Elements& elements, int rows, Columns columns)
      : elements_(elements()), rows_(rows), columns_(columns) {}
  template <class Row>
  MANYCHAIN_HD auto operator[](const Row& row) const {
    return matrix()[row];
  }
  MANYCHAIN_HD int rows() const { return rows_; }
  MANYCHAIN_HD Columns columns() const { return columns_; }
  /// All elements, row by row.
  MANYCHAIN_HD auto elements() const { return elements_.view(); }
  MANYCHAIN_HD auto matrix() const {
    return MatrixReference<decltype(elements_.view()), Columns, Lower>(elements_.view(), rows_, columns_);
  }

 private:
  V elements_;
  int rows_;
  Columns columns_;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
