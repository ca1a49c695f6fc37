// A dense matrix of doubles, as plain a value as can be: what finite chains take and give.
#pragma once

#include <cstddef>
#include <vector>

namespace manychain::markov {

/// Row-major, indices from 0.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns, double fill)
      : rows_(rows), columns_(columns), values_(rows * columns, fill) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  double operator()(std::size_t i, std::size_t j) const { return values_[i * columns_ + j]; }
  double& operator()(std::size_t i, std::size_t j) { return values_[i * columns_ + j]; }
  const double* row(std::size_t i) const { return values_.data() + i * columns_; }
  double* row(std::size_t i) { return values_.data() + i * columns_; }
  const std::vector<double>& values() const { return values_; }

  bool operator==(const Matrix&) const = default;

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<double> values_;
};

}  // namespace manychain::markov
