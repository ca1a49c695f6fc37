// A model reads its data by names, sizes and bounds, into memory that lies where its chains run.
#pragma once

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/model/autodiff/constraints.hpp"
#include "manychain/model/data/data.hpp"
#include "manychain/model/data/prepare.hpp"
#include "manychain/model/data/view.hpp"

namespace manychain {

/// Memory of a backend for the data of a model. Freed with it.
class DataMemory {
 public:
  virtual ~DataMemory() = default;
  /// Copies `bytes` bytes there and returns where they lie now.
  virtual const void* store(const void* bytes_begin, std::size_t bytes) = 0;
  std::size_t numbers_read = 0;  ///< of the data, by the DataReader that has this memory: sizes and scalars, too
};

/// The memory of the host.
class HostDataMemory : public DataMemory {
 public:
  const void* store(const void* bytes_begin, std::size_t bytes) override;

 private:
  std::deque<std::vector<std::byte>> pieces_;
};

/// A fixed size of a model's type does not match the data: the instantiation for any size is then tried.
class SizeMismatch : public BadInput {
 public:
  using BadInput::BadInput;
};

/// A number, or a size that has been read: integer(1, J).
struct DataBound {
  double value;

  DataBound(double number) : value(number) {}  // NOLINT: implicit on purpose
  template <int N>
  DataBound(Size<N> size) : value(size.value()) {}  // NOLINT
};

/// Bounds of a data variable, checked when it is read.
struct DataBounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool integer = false;

  DataBounds() = default;
  DataBounds(double lowest, double highest, bool whole) : low(lowest), high(highest), integer(whole) {}
  // Said as of parameters: in("sigma", sigma, J, lower(0)).
  template <class B>
  DataBounds(const Lower<B>& constraint) : low(constraint.bound.value()) {}  // NOLINT: implicit on purpose
  template <class B>
  DataBounds(const Upper<B>& constraint) : high(constraint.bound.value()) {}  // NOLINT
  template <class A, class B>
  DataBounds(const Interval<A, B>& constraint)  // NOLINT
      : low(constraint.low.value()), high(constraint.high.value()) {}
};

/// Whole numbers from low to high.
inline DataBounds integer(DataBound low = -std::numeric_limits<double>::infinity(),
                          DataBound high = std::numeric_limits<double>::infinity()) {
  return {low.value, high.value, true};
}

/// The part that needs no template. Errors are those that users of CmdStan know.
class DataReaderBase {
 public:
  DataReaderBase(const Data& data, DataMemory& memory) : data_(&data), memory_(&memory) {}

  /// The values of `name`, whose shape must be `shape`, within bounds and finite. Adds to DataMemory::numbers_read.
  /// Throws BadInput: variable does not exist, mismatch in dimension, non-int values, out of bounds, not finite.
  std::vector<double> values(const std::string& name, const std::vector<std::size_t>& shape,
                             const DataBounds& bounds = {}) const;
  /// A size: an int within bounds, never negative. A size N that no variable gives is the number of rows of the tables
  /// that the data are from (Data::rows()).
  int size(const std::string& name, const DataBounds& bounds = {}) const;
  /// A column of so many rows, from one variable of the data.
  std::vector<double> column(const Column& column, int rows) const;

 protected:
  std::vector<double> design(int rows, const std::vector<Column>& columns) const;  // row by row
  [[noreturn]] static void throw_too_large(double x);
  [[noreturn]] static void throw_columns(int wanted, int given);  // design<Number, wanted>() asks for others
  /// Throws BadInput unless there are `count` numbers.
  static void require_count(const std::vector<double>& v, std::size_t count, const char* what);

  const Data* data_;
  DataMemory* memory_;
};

inline namespace MANYCHAIN_ISA {

namespace detail {
/// A size that data are read with: a Size that has been read, or a number.
template <class S>
inline constexpr bool is_size = std::is_integral_v<S> && !std::is_same_v<S, bool>;
template <int N>
inline constexpr bool is_size<Size<N>> = true;
template <class S>
concept DataSize = is_size<S>;
template <int N>
int size_of(Size<N> n) {
  return n.value();
}
template <class S>
requires std::is_integral_v<S>
int size_of(S n) { return static_cast<int>(n); }

/// A DataReader reads into members of these types; anything else is refused in one sentence.
template <class T>
inline constexpr bool is_data_member = false;
template <int N>
inline constexpr bool is_data_member<Size<N>> = true;
template <class T>
inline constexpr bool is_data_member<Scalar<T>> = true;
template <class T, int N>
inline constexpr bool is_data_member<View<T, N>> = true;
template <class T, int C>
inline constexpr bool is_data_member<Matrix<T, C>> = true;
}  // namespace detail

/// A model's data(DataReader&) calls this: in("N", N); in("y", y, N); in("X", X, N, D).
class DataReader : public DataReaderBase {
 public:
  using DataReaderBase::DataReaderBase;

  template <int N>
  void operator()(const char* name, Size<N>& n, const DataBounds& bounds = {}) const {
    const int found = size(name, bounds);
    if constexpr (N == dynamic)
      n = Size<dynamic>(found);
    else if (found != N)
      throw SizeMismatch(std::string("variable ") + name + " must be " + std::to_string(N) + ", found " +
                         std::to_string(found));
  }
  template <class T>
  requires(std::is_floating_point_v<T>) void operator()(const char* name, Scalar<T>& x,
                                                        const DataBounds& bounds = {}) const {
    x = Scalar<T>(narrowed<T>(values(name, {}, bounds))[0]);
  }
  /// Every value of a View<const int> or a Matrix<const int> must be whole.
  template <class T, int N, detail::DataSize S>
  void operator()(const char* name, View<T, N>& view, S n, const DataBounds& bounds = {}) const {
    using Number = std::remove_const_t<T>;
    const int size = detail::size_of(n);
    view = View<T, N>(put<Number>(values(name, Shape{extent(size)}, of_type<Number>(bounds))), sized<N>(size));
    if constexpr (checks_bounds) checks::name_data(view.data(), sizeof(T), size, 0, std::is_integral_v<T>, name);
  }
  template <class T, int C, detail::DataSize Rows, detail::DataSize Columns>
  void operator()(const char* name, Matrix<T, C>& matrix, Rows rows, Columns columns,
                  const DataBounds& bounds = {}) const {
    using Number = std::remove_const_t<T>;
    const int height = detail::size_of(rows), width = detail::size_of(columns);
    matrix = made<T, C>(values(name, Shape{extent(height), extent(width)}, of_type<Number>(bounds)), height, width);
    if constexpr (checks_bounds)
      checks::name_data(matrix.data(), sizeof(T), height * width, width, std::is_integral_v<T>, name);
  }

  template <class T, class... Rest>
  requires(!detail::is_data_member<T>) void operator()(const char*, T&, const Rest&...) const {
    static_assert(detail::allowed<T>,
                  "a model is copied to the device byte by byte: data are a View, a Matrix, a Size or a Scalar, not "
                  "std::vector, std::array, std::string, int or double");
  }

  /// Puts values that the model computed from its data into the memory of the backend.
  template <class T, int N = dynamic, detail::DataSize S>
  View<const T, N> keep(const std::vector<double>& v, S n) const {
    const int size = detail::size_of(n);
    require_count(v, extent(size), "keep()");
    return View<const T, N>(put<T>(v), sized<N>(size));
  }
  template <class T, int C = dynamic>
  Matrix<const T, C> keep_matrix(const std::vector<double>& v, int rows, int columns) const {
    require_count(v, static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), "keep_matrix()");
    return made<const T, C>(v, rows, columns);
  }
  /// A vector from one variable: in.prepared<Number>(N, Column::log("weight")).
  template <class T, int N = dynamic, detail::DataSize S>
  View<const T, N> prepared(S n, const Column& of) const {
    return keep<T, N>(column(of, detail::size_of(n)), n);
  }
  /// A design matrix, the member Matrix<const Number, 3>:
  /// in.design<Number, 3>(N, {Column::ones(), Column::of("height"), Column::log("weight")}).
  template <class T, int C = dynamic, detail::DataSize S>
  Matrix<const T, C> design(S n, const std::vector<Column>& columns) const {
    const int rows = detail::size_of(n), width = static_cast<int>(columns.size());
    if (C != dynamic && C != width) throw_columns(C, width);
    return keep_matrix<T, C>(DataReaderBase::design(rows, columns), rows, width);
  }

 private:
  /// The bounds of a variable, and those of its type.
  template <class T>
  static DataBounds of_type(DataBounds bounds) {
    if constexpr (std::is_integral_v<T>) {
      bounds.integer = true;
      bounds.low = std::max(bounds.low, static_cast<double>(std::numeric_limits<T>::min()));
      bounds.high = std::min(bounds.high, static_cast<double>(std::numeric_limits<T>::max()));
    }
    return bounds;
  }
  using Shape = std::vector<std::size_t>;  // named at each use: nvcc 13.0 drops the braces of a bare {n} in a template
  static std::size_t extent(int n) { return static_cast<std::size_t>(n); }
  template <int N>
  static Size<N> sized(int n) {
    if constexpr (N == dynamic)
      return Size<dynamic>(n);
    else
      return n == N ? Size<N>{}
                    : throw SizeMismatch("a fixed size of " + std::to_string(N) + " met data of " + std::to_string(n));
  }
  template <class T, int C>
  Matrix<T, C> made(const std::vector<double>& by_row, int rows, int columns) const {
    const Size<C> size = sized<C>(columns);  // throws where it does not fit
    using Number = std::remove_const_t<T>;
    return Matrix<T, C>(put<Number>(MatrixLayout<Number, C>::arranged(by_row, rows)), rows, size);
  }
  template <class T>
  static std::vector<T> narrowed(const std::vector<double>& v) {
    for (double x : v)
      if (x > std::numeric_limits<T>::max() || x < std::numeric_limits<T>::lowest()) throw_too_large(x);
    return std::vector<T>(v.begin(), v.end());
  }
  template <class T>
  const T* put(const std::vector<double>& v) const {
    const std::vector<T> numbers = narrowed<T>(v);
    return static_cast<const T*>(memory_->store(numbers.data(), numbers.size() * sizeof(T)));
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
