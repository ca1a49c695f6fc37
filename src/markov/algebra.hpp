// Matrices of the public interface as those of Eigen, without a copy.
#pragma once

#include "core/eigen.hpp"  // before the next, which takes its namespace

#include <Eigen/Dense>

#include "manychain/markov/matrix.hpp"

namespace manychain::markov {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Eigen::Index index(std::size_t i) { return eigen_index(i); }

inline Eigen::Map<const RowMajor> view(const Matrix& m) {
  return {m.values().data(), index(m.rows()), index(m.columns())};
}

/// Divides each row by its sum, which must be positive.
inline void normalise_rows(Matrix& m) {
  for (std::size_t i = 0; i < m.rows(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < m.columns(); ++j) sum += m(i, j);
    for (std::size_t j = 0; j < m.columns(); ++j) m(i, j) /= sum;
  }
}

/// a b of two stochastic matrices, stochastic but for one rounding.
inline Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix product(a.rows(), b.columns(), 0);
  Eigen::Map<RowMajor>(product.row(0), index(a.rows()), index(b.columns())).noalias() = view(a) * view(b);
  normalise_rows(product);
  return product;
}

}  // namespace manychain::markov
