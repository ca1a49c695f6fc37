// Data of a model, in the memory of the backend that its chains run on. Small, trivially copyable.
#pragma once

#include <cstddef>
#include <type_traits>

#include "manychain/core/lane_index.hpp"
#include "manychain/core/size.hpp"
#include "manychain/core/terms.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

// A size that is fixed takes no room: it is a base, never a no_unique_address member. nvcc 13.0 lays those out
// differently in the parameters of a kernel, where host and device must agree (tests/cuda_on_host/layout).

/// A vector of N numbers (or of a size that the data gave). Elements are Scalars, so that a literal beside them does
/// not widen the precision.
template <class T, int N = dynamic>
class View : Size<N> {
 public:
  using number = std::remove_const_t<T>;
  View() = default;
  MANYCHAIN_HD View(const number* data, Size<N> size) : Size<N>(size), data_(data) {}
  MANYCHAIN_HD Scalar<number> operator[](int i) const { return Scalar<number>(data_[i]); }
  template <int K>
  MANYCHAIN_HD Terms<Scalar<number>, K> operator[](TermRange<K> j) const {
    Terms<Scalar<number>, K> elements;
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) elements.x[k] = Scalar<number>(data_[j.first + k]);
    return elements;
  }
  template <class R>
  MANYCHAIN_HD R operator[](const LaneIndex<R>& j) const {
    return gathered(data_, j);
  }
  MANYCHAIN_HD Size<N> size() const { return *this; }
  MANYCHAIN_HD const number* data() const { return data_; }
  MANYCHAIN_HD View view() const { return *this; }

 private:
  const number* data_ = nullptr;
};

/// K consecutive rows of a matrix: a vector of as many elements as there are columns, each of K numbers.
template <class T, int Columns, int K>
class Rows : Size<Columns> {
 public:
  using number = std::remove_const_t<T>;
  MANYCHAIN_HD Rows(const number* data, Size<Columns> columns) : Size<Columns>(columns), data_(data) {}
  MANYCHAIN_HD Terms<Scalar<number>, K> operator[](int column) const {
    Terms<Scalar<number>, K> elements;
    MANYCHAIN_UNROLL
    for (int k = 0; k < K; ++k) elements.x[k] = Scalar<number>(data_[k * this->value() + column]);
    return elements;
  }
  MANYCHAIN_HD Size<Columns> size() const { return *this; }
  MANYCHAIN_HD Rows view() const { return *this; }

 private:
  const number* data_;
};

/// A row of a matrix that differs from chain to chain.
template <class T, int Columns, class R>
class LaneRow : Size<Columns> {
 public:
  MANYCHAIN_HD LaneRow(const std::remove_const_t<T>* data, const LaneIndex<R>& row, Size<Columns> columns)
      : Size<Columns>(columns), row_(data, row, columns.value()) {}
  MANYCHAIN_HD R operator[](int column) const { return gathered(row_, column); }
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
    if constexpr (Size<Columns>::fixed && Size<Columns>::small) {  // each a register of its own
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

/// A row-major matrix with `Columns` columns; operator[] gives a row.
template <class T, int Columns = dynamic>
class Matrix : Size<Columns> {
 public:
  using number = std::remove_const_t<T>;
  Matrix() = default;
  MANYCHAIN_HD Matrix(const number* data, int rows, Size<Columns> columns)
      : Size<Columns>(columns), rows_(rows), data_(data) {}
  MANYCHAIN_HD View<T, Columns> operator[](int row) const {
    return View<T, Columns>(data_ + static_cast<std::ptrdiff_t>(row) * this->value(), columns());
  }
  template <int K>
  MANYCHAIN_HD Rows<T, Columns, K> operator[](TermRange<K> j) const {
    return {data_ + static_cast<std::ptrdiff_t>(j.first) * this->value(), columns()};
  }
  template <class R>
  MANYCHAIN_HD LaneRow<T, Columns, R> operator[](const LaneIndex<R>& row) const {
    return {data_, row, columns()};
  }
  MANYCHAIN_HD int rows() const { return rows_; }
  MANYCHAIN_HD Size<Columns> columns() const { return *this; }

 private:
  int rows_ = 0;  // beside the number of columns where that is stored
  const number* data_ = nullptr;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
