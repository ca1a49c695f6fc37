// Data prepared once, on the host: centred, standardised, logged; design matrices.
#pragma once

#include <string>
#include <vector>

namespace manychain {

/// A matrix, row by row with so many columns (1: a vector), each column less its mean.
std::vector<double> centred(std::vector<double> x, int columns = 1);
/// Each column less its mean, divided by its standard deviation (that of a population, n in the denominator). Throws
/// BadInput of a column that is constant: leave it out, or scale it by hand.
std::vector<double> standardised(std::vector<double> x, int columns = 1);
/// Natural logarithms. Throws BadInput of what is not positive.
std::vector<double> logged(std::vector<double> x);
/// The matrix with a column of ones before the others, or behind them.
std::vector<double> with_ones(const std::vector<double>& x, int columns, bool last = false);

/// A column of a design matrix, of a variable of the data: DataReader::design().
struct Column {
  enum class Kind { ones, plain, log, centred, standardised, equal, product };
  Kind kind;
  std::string name;
  double value = 0;
  std::vector<Column> factors = {};

  static Column ones() { return {Kind::ones, ""}; }
  static Column of(const std::string& name) { return {Kind::plain, name}; }
  static Column log(const std::string& name) { return {Kind::log, name}; }
  static Column centred(const std::string& name) { return {Kind::centred, name}; }
  static Column standardised(const std::string& name) { return {Kind::standardised, name}; }
  /// 1 where the variable has that value, else 0.
  static Column equal(const std::string& name, double value) { return {Kind::equal, name, value}; }
  /// The product of two columns, an interaction: each a Column, or the name of a variable.
  static Column product(const Column& a, const Column& b) { return {Kind::product, "", 0, {a, b}}; }
  static Column product(const std::string& a, const std::string& b) { return product(of(a), of(b)); }
  static Column product(const std::string& a, const Column& b) { return product(of(a), b); }
  static Column product(const Column& a, const std::string& b) { return product(a, of(b)); }
};

}  // namespace manychain
