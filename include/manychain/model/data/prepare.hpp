// Data prepared once, on the host: centred, standardised, logged; design matrices.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace manychain {

/// A matrix, row by row with so many columns (1: a vector), each column less its mean.
std::vector<double> centred(std::vector<double> x, int columns = 1);
/// Subtracts from each column its mean and divides by its standard deviation (with n in the denominator). Throws
/// BadInput of a column that is constant: leave it out, or scale it by hand.
std::vector<double> standardised(std::vector<double> x, int columns = 1);
/// Natural logarithms. Throws BadInput if a number is not positive.
std::vector<double> logged(std::vector<double> x);
/// The matrix with a column of ones before the others, or behind them.
std::vector<double> with_ones(const std::vector<double>& x, int columns, bool last = false);

/// A column of a design matrix: DataReader::design(). The name of a variable stands for its column as it is.
class Column {
 public:
  Column(const char* name) : Column(Kind::plain, name) {}
  Column(const std::string& name) : Column(Kind::plain, name) {}

  static Column ones() { return {Kind::ones, "a column of ones"}; }
  static Column of(const std::string& name) { return name; }
  static Column log(const Column& x) { return {Kind::log, "log of " + x.name_, {x}}; }
  static Column centred(const Column& x) { return {Kind::centred, x.name_, {x}}; }
  static Column standardised(const Column& x) { return {Kind::standardised, x.name_, {x}}; }
  /// 1 where the variable has that value, else 0. A value that no row has is refused when data are read.
  template <class Value>
  static Column equal(const Column& x, Value value) {
    static_assert(std::is_arithmetic_v<Value>, "Column::equal() compares with a number: words are no data");
    return {Kind::equal, x.name_, {x}, static_cast<double>(value)};
  }
  /// The product of columns, an interaction; also a * b.
  template <class... More>
  static Column product(const Column& a, const Column& b, const More&... more) {
    return {Kind::product, (a.name_ + " * " + b.name_ + ... + (" * " + Column(more).name_)), {a, b, more...}};
  }
  friend Column operator*(const Column& a, const Column& b) { return product(a, b); }

 private:
  friend class DataReaderBase;
  enum class Kind { ones, plain, log, centred, standardised, equal, product };

  Column(Kind kind, std::string name, std::vector<Column> of = {}, double value = 0)
      : kind_(kind), name_(std::move(name)), of_(std::move(of)), value_(value) {}

  Kind kind_;
  std::string name_;
  std::vector<Column> of_;
  double value_;
};

}  // namespace manychain
