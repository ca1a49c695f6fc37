// Matrices of the public interface as those of Eigen, without a copy.
//
// Eigen's functions have the same names whatever instruction set they are compiled for. In a namespace of our own the
// linker cannot take those of a user's AVX-512 unit for this library's, or the other way round. And no threads: results
// do not depend on how many there are.
#pragma once

#define EIGEN_DONT_PARALLELIZE
#define Eigen manychain_eigen
#include <Eigen/Dense>

#include "manychain/markov/matrix.hpp"

namespace manychain::markov {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

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
