// The statements of every target about matrices. The headers that define them (linear_algebra.hpp,
// matrix_constraints.hpp) need not be known here.
#pragma once

#include "manychain/model/distributions/density_sums.hpp"
#include "manychain/model/matrices/matrix_expression.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Base of the targets. Each function but the last four makes an intermediate: see Let.
template <class Self>
class MatrixStatements {
 public:
  /// target.cholesky(A): the lower triangular L with A = L L'. A is any matrix, symmetric and positive definite; its
  /// lower triangle is read and stands for both. A chain whose matrix is not positive definite gets a log density that
  /// is no number, which rejects the proposal. Source: Murray 2016, Differentiation of the Cholesky decomposition.
  template <ModelMatrix A>
  MANYCHAIN_HD auto cholesky(const A& matrix) {
    return make_cholesky(self(), matrix);
  }
  /// target.solve_lower(L, v): the vector z with L z = v, of a lower triangular matrix. Source: Giles 2008, Collected
  /// matrix derivative results.
  template <ModelMatrix L, ModelVector V>
  MANYCHAIN_HD auto solve_lower(const L& factor, const V& right) {
    return make_lower_solution(self(), factor, right);
  }
  /// target.cholesky_corr(name, n): the Cholesky factor of a correlation matrix of n rows: lower triangular, a positive
  /// diagonal, rows of length one. Recorded with its shape, n x n. Source: Stan Reference Manual, Constraint
  /// transforms.
  template <class N>
  MANYCHAIN_HD auto cholesky_corr(const char* name, N n) {
    return self().square_matrix(name, as_size(n), CholeskyCorr{});
  }
  /// target.cholesky_cov(name, n): that of a covariance matrix: lower triangular, a positive diagonal. Source: Stan
  /// Reference Manual, Constraint transforms.
  template <class N>
  MANYCHAIN_HD auto cholesky_cov(const char* name, N n) {
    return self().square_matrix(name, as_size(n), CholeskyCov{});
  }
  /// target.corr_matrix(name, n): a correlation matrix. Source: Stan Reference Manual, Constraint transforms.
  template <class N>
  MANYCHAIN_HD auto corr_matrix(const char* name, N n) {
    return self().square_matrix(name, as_size(n), CorrMatrix{});
  }
  /// target.cov_matrix(name, n): a covariance matrix, symmetric and positive definite. Source: Stan Reference Manual,
  /// Constraint transforms.
  template <class N>
  MANYCHAIN_HD auto cov_matrix(const char* name, N n) {
    return self().square_matrix(name, as_size(n), CovMatrix{});
  }

 private:
  MANYCHAIN_HD Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
