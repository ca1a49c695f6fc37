#include "manychain/model/data/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "manychain/core/error.hpp"
#include "manychain/model/language/data_reader.hpp"

namespace manychain {
namespace {

/// Mean and variance of column j, by Welford's recurrence, which keeps the digits of years and incomes.
struct Moments {
  double mean = 0, variance = 0;
  Moments(const std::vector<double>& x, std::size_t columns, std::size_t j) {
    double count = 0;
    for (std::size_t i = j; i < x.size(); i += columns) {
      const double before = x[i] - mean;
      mean += before / ++count;
      variance += before * (x[i] - mean);
    }
    if (count > 0) variance /= count;
  }
};

std::size_t columns_of(const std::vector<double>& x, int columns) {
  if (columns < 1 || x.size() % static_cast<std::size_t>(columns) != 0)
    throw BadInput(std::to_string(x.size()) + " numbers are no matrix of " + std::to_string(columns) + " columns");
  return static_cast<std::size_t>(columns);
}

}  // namespace

std::vector<double> centred(std::vector<double> x, int columns) {
  const std::size_t n = columns_of(x, columns);
  for (std::size_t j = 0; j < n; ++j) {
    const Moments moments(x, n, j);
    for (std::size_t i = j; i < x.size(); i += n) x[i] -= moments.mean;
  }
  return x;
}

std::vector<double> standardised(std::vector<double> x, int columns) {
  const std::size_t n = columns_of(x, columns);
  for (std::size_t j = 0; j < n; ++j) {
    const Moments moments(x, n, j);
    // Rounding may leave a constant a variance that is none.
    if (!(moments.variance > 1e-24 * moments.mean * moments.mean) && x.size() > 0)
      throw BadInput((columns == 1 ? std::string("a variable") : "column " + std::to_string(j + 1)) +
                     " that is to be standardised is constant: leave it out");
    for (std::size_t i = j; i < x.size(); i += n) x[i] = (x[i] - moments.mean) / std::sqrt(moments.variance);
  }
  return x;
}

std::vector<double> logged(std::vector<double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] > 0))
      throw BadInput(
          fmt::format("the logarithm of {} is asked for, number {} of {}: it must be positive", x[i], i + 1, x.size()));
    x[i] = std::log(x[i]);
  }
  return x;
}

std::vector<double> with_ones(const std::vector<double>& x, int columns, bool last) {
  const std::size_t n = columns_of(x, columns);
  std::vector<double> wider;
  wider.reserve(x.size() + x.size() / n);
  for (std::size_t i = 0; i < x.size(); i += n) {
    if (!last) wider.push_back(1);
    for (std::size_t j = 0; j < n; ++j) wider.push_back(x[i + j]);
    if (last) wider.push_back(1);
  }
  return wider;
}

void DataReaderBase::require_count(const std::vector<double>& v, std::size_t count, const char* what) {
  if (v.size() != count)
    throw BadInput(std::string(what) + " in the model's data() is given " + std::to_string(v.size()) +
                   " numbers for a shape of " + std::to_string(count));
}

std::vector<double> DataReaderBase::column(const Column& column, int rows) const {
  using Kind = Column::Kind;
  const std::size_t n = static_cast<std::size_t>(rows);
  if (column.kind_ == Kind::ones) return std::vector<double>(n, 1.0);
  if (column.kind_ == Kind::plain) return values(column.name_, {n});
  std::vector<double> x = DataReaderBase::column(column.of_.at(0), rows);
  if (column.kind_ == Kind::product) {
    for (std::size_t k = 1; k < column.of_.size(); ++k) {
      const std::vector<double> other = DataReaderBase::column(column.of_[k], rows);
      for (std::size_t i = 0; i < n; ++i) x[i] *= other[i];
    }
    return x;
  }
  try {
    switch (column.kind_) {
      case Kind::log:
        return logged(x);
      case Kind::centred:
        return centred(x);
      case Kind::standardised:
        return standardised(x);
      case Kind::equal:
        if (n > 0 && std::find(x.begin(), x.end(), column.value_) == x.end())
          throw BadInput(fmt::format("no row has {}: leave that Column::equal() out", column.value_));
        for (double& element : x) element = element == column.value_ ? 1 : 0;
        return x;
      default:
        return x;
    }
  } catch (const BadInput& error) {
    throw BadInput("variable " + column.of_.front().name_ + ": " + error.what());
  }
}

void DataReaderBase::throw_columns(int wanted, int given) {
  throw SizeMismatch("in.design<Number, " + std::to_string(wanted) + ">() in the model's data() is given " +
                     std::to_string(given) + " columns: write in.design<Number, " + std::to_string(given) +
                     ">(), and the member Matrix<const Number, " + std::to_string(given) + ">");
}

std::vector<double> DataReaderBase::design(int rows, const std::vector<Column>& columns) const {
  const std::size_t n = static_cast<std::size_t>(rows), k = columns.size();
  std::vector<double> x(n * k);
  for (std::size_t j = 0; j < k; ++j) {
    const std::vector<double> one = column(columns[j], rows);
    for (std::size_t i = 0; i < n; ++i) x[i * k + j] = one[i];
  }
  return x;
}

}  // namespace manychain
