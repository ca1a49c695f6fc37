// The vectors and matrices that a target of the host hands out: values that know their names and mind their sizes.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "manychain/model/data/checks.hpp"
#include "manychain/model/recurrences/scan.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// A vector of parameters that knows its name and minds its size.
template <class R, class N>
class NamedVector {
 public:
  NamedVector(const char* name, const R* values, N size) : name_(name), values_(values), size_(size) {}
  Constant<R> operator[](int i) const {
    checks::index({size_.value(), name_, nullptr}, i);
    return Constant<R>(values_[i]);
  }
  /// Only asked whether it could: a host's target takes one row at a time.
  template <int K>
  auto operator[](RowRange<K> j) const {
    return selected_elements<R>(j, values_, nullptr);
  }
  template <int K>
  auto operator[](const RowNumbers<int, K>& j) const {
    return selected_elements<R>(j, values_, nullptr);
  }
  template <class Index>
  requires detail::NoIndex<Index> Constant<R>
  operator[](const Index&) const {
    detail::refuse_index<Index>();
    return (*this)[0];
  }
  N size() const { return size_; }
  const char* parameter_name() const { return name_; }
  NamedVector view() const { return *this; }

 private:
  const char* name_;
  const R* values_;
  N size_;
};

/// A matrix that knows its name and minds its rows and columns.
template <class R, class Columns>
class NamedMatrix {
 public:
  NamedMatrix(const char* name, const R* values, int rows, Columns columns)
      : name_(name), values_(values), rows_(rows), columns_(columns) {}
  NamedVector<R, Columns> operator[](int row) const {
    checks::index({rows_, name_, nullptr}, row);
    return {name_, values_ + static_cast<std::ptrdiff_t>(row) * columns_.value(), columns_};
  }
  template <class Rows>
  requires(detail::rows_of_index<Rows> > 0) auto operator[](const Rows& rows) const {
    const auto first = detail::times(rows, columns_.value());
    return MatrixRow<NamedVector<R, Size<dynamic>>, std::remove_cvref_t<decltype(first)>, Columns>(elements(), first,
                                                                                                   columns_);
  }
  template <class Index>
  requires detail::NoIndex<Index> NamedVector<R, Columns>
  operator[](const Index&) const {
    detail::refuse_index<Index>();
    return (*this)[0];
  }
  int rows() const { return rows_; }
  Columns columns() const { return columns_; }
  auto elements() const {
    const auto size = Size<dynamic>(rows_ * columns_.value());
    return NamedVector<R, Size<dynamic>>(name_, values_, size);
  }

 private:
  const char* name_;
  const R* values_;
  int rows_;
  Columns columns_;
};

/// An intermediate that is computed when its first element is asked for: fill(numbers) writes it.
template <class R, class N, class Fill>
class LazyVector {
 public:
  LazyVector(const char* name, N size, const Fill& fill, std::vector<R>& values)
      : name_(name), size_(size), fill_(fill), values_(&values) {}
  Constant<R> operator[](int i) const {
    checks::index({size_.value(), name_, nullptr}, i);
    evaluate();
    return Constant<R>((*values_)[static_cast<std::size_t>(i)]);
  }
  template <class Rows>
  requires(detail::rows_of_index<Rows> > 0) auto operator[](const Rows& j) const {
    evaluate();
    return selected_elements<R>(j, static_cast<const R*>(values_->data()), nullptr);
  }
  template <class Index>
  requires detail::NoIndex<Index> Constant<R>
  operator[](const Index&) const {
    detail::refuse_index<Index>();
    return (*this)[0];
  }
  N size() const { return size_; }
  LazyVector view() const { return *this; }
  void evaluate() const {
    if (!values_->empty()) return;
    std::vector<R> numbers(static_cast<std::size_t>(size_.value()), R(0));
    fill_(Strided<R>{numbers.data(), 1});
    *values_ = std::move(numbers);
  }

 private:
  const char* name_;
  N size_;
  Fill fill_;
  std::vector<R>* values_;
};

/// n states one behind the other, a recurrence or the solution of a differential equation, which fill(values) computes
/// when the first element is asked for: a layout needs no data.
template <class R, class N, class First, class Fill>
class LazyPath {
 public:
  LazyPath(const char* name, N n, const First& first, const Fill& fill, std::vector<R>& values)
      : name_(name), n_(n), first_(first), fill_(fill), values_(&values) {}
  template <class Index>
  auto operator[](const Index& t) const {
    if (values_->empty()) {
      values_->resize(static_cast<std::size_t>(multiply_sizes(n_, width()).value()));
      fill_(*values_);
    }
    if constexpr (Operand<First>)
      return NamedVector<R, N>(name_, values_->data(), n_)[t];
    else
      return NamedMatrix<R, Width>(name_, values_->data(), n_.value(), width())[t];
  }
  N size() const requires Operand<First> { return n_; }
  LazyPath view() const requires Operand<First> { return *this; }
  int rows() const requires(!Operand<First>) { return n_.value(); }
  auto columns() const requires(!Operand<First>) { return width(); }
  LazyPath matrix() const requires(!Operand<First>) { return *this; }

 private:
  auto width() const { return detail::StateShape<First>::size(first_); }
  using Width = std::remove_cvref_t<decltype(detail::StateShape<First>::size(std::declval<const First&>()))>;
  const char* name_;
  N n_;
  First first_;
  Fill fill_;
  std::vector<R>* values_;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
