// Data of a model, in the memory of the backend that its chains run on. Small, trivially copyable.
#pragma once

#include <cstddef>
#include <type_traits>

#include "manychain/core/lane_index.hpp"
#include "manychain/core/row_block.hpp"
#include "manychain/core/size.hpp"
#include "manychain/model/data/checks.hpp"
#include "manychain/model/data/matrix_layout.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

namespace detail {
/// The elements of data: Scalars, so that a literal beside them does not widen the precision, or ints, which select
/// elements, decide branches and count.
template <class T>
using Element = std::conditional_t<std::is_integral_v<T>, T, Scalar<T>>;
template <class T, int K>
using Elements = std::conditional_t<std::is_integral_v<T>, RowNumbers<T, K>, RowBlock<Scalar<T>, K>>;

/// The types that no vector takes for an index.
template <class Index>
inline constexpr bool is_whole = false;
template <class Index>
MANYCHAIN_HD void refuse_index() {
  static_assert(
      is_whole<Index>,
      "an index must be a whole number, the same for all chains: the index of observe(), an int, or an element "
      "of View<const int>; neither other data nor parameters can be one");
}
/// Data, parameters, expressions and sizes.
template <class Index>
concept NoIndex = Real<Index> || requires(const Index& i) {
  i.value();
} || requires(const Index& i) {
  i.node();
};
}  // namespace detail

// A size that is fixed takes no room: it is a base, never a no_unique_address member. nvcc 13.0 lays those out
// differently in the parameters of a kernel, where host and device must agree (tests/cuda_on_host/layout).

/// A vector of N numbers (or of a size that the data gave), or of ints.
template <class T, int N = dynamic>
class View : Size<N> {
 public:
  using number = std::remove_const_t<T>;
  View() = default;
  MANYCHAIN_HD View(const number* data, Size<N> size) : Size<N>(size), data_(data) {}
  MANYCHAIN_HD detail::Element<number> operator[](int i) const {
    if constexpr (checks_bounds) {
      checks::index({this->value(), nullptr, data_}, i);
      if constexpr (std::is_integral_v<number>) checks::note_integer(data_ + i, static_cast<int>(data_[i]));
    }
    return detail::Element<number>(data_[i]);
  }
  template <int K>
  MANYCHAIN_HD detail::Elements<number, K> operator[](RowRange<K> j) const {
    detail::Elements<number, K> elements;
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) elements.x[k] = detail::Element<number>(data_[j.first + k]);
    return elements;
  }
  template <int K>
  MANYCHAIN_HD detail::Elements<number, K> operator[](const RowNumbers<int, K>& j) const {
    detail::Elements<number, K> elements;
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) elements.x[k] = detail::Element<number>(data_[j.x[k]]);
    return elements;
  }
  template <class R>
  MANYCHAIN_HD auto operator[](const LaneIndex<R>& j) const {
    if constexpr (std::is_integral_v<number>)
      return gathered_integers(data_, j);
    else
      return gathered(data_, j);
  }
  template <class Index>
  requires detail::NoIndex<Index> MANYCHAIN_HD detail::Element<number>
  operator[](const Index&) const {
    detail::refuse_index<Index>();
    return (*this)[0];
  }
  MANYCHAIN_HD Size<N> size() const { return *this; }
  MANYCHAIN_HD const number* data() const { return data_; }
  MANYCHAIN_HD View view() const { return *this; }

 private:
  const number* data_ = nullptr;
};

/// A row of a matrix whose numbers do not lie one behind the other.
template <class T, int Columns>
class InterleavedRow : Size<Columns> {
 public:
  using number = std::remove_const_t<T>;
  MANYCHAIN_HD explicit InterleavedRow(const number* row) : row_(row) {}
  MANYCHAIN_HD detail::Element<number> operator[](int column) const {
    return detail::Element<number>(row_[MatrixLayout<number, Columns>::offset(column)]);
  }
  template <class R>
  MANYCHAIN_HD auto operator[](const LaneIndex<R>& j) const {
    LaneIndex<R> at;
    for (int l = 0; l < R::lanes; ++l) at.j[l] = MatrixLayout<number, Columns>::offset(j.j[l]);
    if constexpr (std::is_integral_v<number>)
      return gathered_integers(row_, at);
    else
      return gathered(row_, at);
  }
  template <class Index>
  requires detail::NoIndex<Index> MANYCHAIN_HD detail::Element<number>
  operator[](const Index&) const {
    detail::refuse_index<Index>();
    return (*this)[0];
  }
  MANYCHAIN_HD Size<Columns> size() const { return *this; }
  MANYCHAIN_HD InterleavedRow view() const { return *this; }

 private:
  const number* row_;
};

/// K consecutive rows of a matrix: a vector of as many elements as there are columns, each of K numbers.
template <class T, int Columns, int K>
class Rows : Size<Columns> {
 public:
  using number = std::remove_const_t<T>;
  MANYCHAIN_HD Rows(const number* data, Size<Columns> columns) : Size<Columns>(columns), data_(data) {}
  MANYCHAIN_HD detail::Elements<number, K> operator[](int column) const {
    detail::Elements<number, K> elements;
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) elements.x[k] = detail::Element<number>(data_[k * this->value() + column]);
    return elements;
  }
  MANYCHAIN_HD Size<Columns> size() const { return *this; }
  MANYCHAIN_HD Rows view() const { return *this; }
  /// These rows behind a pointer that the compiler takes for another one, so that they are read again. Otherwise it
  /// would keep every element of K rows, spread over the lanes, on the stack from the value to the gradient (logistic
  /// regression with 25 columns: 1.5 times as slow).
  MANYCHAIN_HD Rows again() const {
    const number* data = data_;
#if !defined(__CUDA_ARCH__)
    asm("" : "+r"(data));
#endif
    return {data, *this};
  }

 private:
  const number* data_;
};

/// K rows of a matrix that data select.
template <class T, int Columns, int K>
class SelectedRows : Size<Columns> {
 public:
  using number = std::remove_const_t<T>;
  MANYCHAIN_HD SelectedRows(const number* data, const RowNumbers<int, K>& rows, Size<Columns> columns)
      : Size<Columns>(columns) {
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) row_[k] = data + static_cast<std::ptrdiff_t>(rows.x[k]) * columns.value();
  }
  MANYCHAIN_HD detail::Elements<number, K> operator[](int column) const {
    detail::Elements<number, K> elements;
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) elements.x[k] = detail::Element<number>(row_[k][column]);
    return elements;
  }
  MANYCHAIN_HD Size<Columns> size() const { return *this; }
  MANYCHAIN_HD SelectedRows view() const { return *this; }

 private:
  const number* row_[K];
};

/// A row of a matrix that differs from chain to chain.
template <class T, int Columns, class R>
class LaneRow : Size<Columns> {
  using Layout = MatrixLayout<std::remove_const_t<T>, Columns>;

 public:
  MANYCHAIN_HD LaneRow(const std::remove_const_t<T>* data, const LaneIndex<R>& row, Size<Columns> columns)
      : Size<Columns>(columns) {
    MANYCHAIN_UNROLL
    for (int l = 0; l < R::lanes; ++l) row_.p[l] = Layout::row(data, row.j[l], columns.value());
  }
  MANYCHAIN_HD R operator[](int column) const { return gathered(row_, Layout::offset(column)); }
  /// body(column, number) for every column: some columns come at once.
  template <class Body>
  requires(run_length<R> > 1) MANYCHAIN_HD void for_each_column(Body body) const {
    constexpr int run = run_length<R>;
    const auto take_run = [&](int first) {
      R x[run];
      gathered_run(row_, first, x);
      MANYCHAIN_UNROLL
      for (int k = 0; k < run; ++k) body(first + k, x[k]);
    };
    if constexpr (is_unrolled<Size<Columns>>) {  // each a register of its own
      for_each(Size<Columns / run>{}, [&](int i) { take_run(i * run); });
      for_each(Size<Columns % run>{}, [&](int i) {
        const int column = Columns / run * run + i;
        body(column, (*this)[column]);
      });
    } else {
      int i = 0;
      for (; i + run <= this->value(); i += run) take_run(i);
      for (; i < this->value(); ++i) body(i, (*this)[i]);
    }
  }
  MANYCHAIN_HD Size<Columns> size() const { return *this; }
  MANYCHAIN_HD LaneRow view() const { return *this; }

 private:
  LanePointers<R> row_;
};

/// A matrix with `Columns` columns, as MatrixLayout says; operator[] gives a row.
template <class T, int Columns = dynamic>
class Matrix : Size<Columns> {
 public:
  using number = std::remove_const_t<T>;
  using Layout = MatrixLayout<number, Columns>;
  using Row = std::conditional_t<Layout::interleaved, InterleavedRow<T, Columns>, View<T, Columns>>;
  Matrix() = default;
  MANYCHAIN_HD Matrix(const number* data, int rows, Size<Columns> columns)
      : Size<Columns>(columns), rows_(rows), data_(data) {}
  MANYCHAIN_HD Row operator[](int row) const {
    if constexpr (checks_bounds) checks::row(data_, rows_, row);
    const number* const begin = Layout::row(data_, row, this->value());
    if constexpr (Layout::interleaved)
      return Row(begin);
    else
      return Row(begin, columns());
  }
  template <int K>
  MANYCHAIN_HD Rows<T, Columns, K> operator[](RowRange<K> j) const {
    return {data_ + static_cast<std::ptrdiff_t>(j.first) * this->value(), columns()};
  }
  template <int K>
  MANYCHAIN_HD SelectedRows<T, Columns, K> operator[](const RowNumbers<int, K>& rows) const {
    return {data_, rows, columns()};
  }
  template <class R>
  MANYCHAIN_HD LaneRow<T, Columns, R> operator[](const LaneIndex<R>& row) const {
    static_assert(std::is_same_v<number, number_of<R>>,
                  "a minibatch reads rows of real numbers: make it a Matrix<const Number>");
    return {data_, row, columns()};
  }
  template <class Index>
  requires detail::NoIndex<Index> MANYCHAIN_HD Row operator[](const Index&) const {
    detail::refuse_index<Index>();
    return (*this)[0];
  }
  /// Row by row; not where rows are interleaved.
  MANYCHAIN_HD const number* data() const requires(!Layout::interleaved) { return data_; }
  MANYCHAIN_HD int rows() const { return rows_; }
  MANYCHAIN_HD Size<Columns> columns() const { return *this; }

 private:
  int rows_ = 0;  // beside the number of columns where that is stored
  const number* data_ = nullptr;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
