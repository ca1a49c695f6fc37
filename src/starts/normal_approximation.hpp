// A normal distribution whose covariance is diagonal plus a matrix of low rank, or dense.
#pragma once

#include <cstddef>
#include <vector>

namespace manychain {

/// N(mean, L L^T) with L = D (I + Q (F - I) Q^T): D diagonal, the columns of Q orthonormal, F square. This is the form
/// in which L-BFGS gives an inverse Hessian (Zhang, Carpenter, Gelman, Vehtari 2022, JMLR 23(306), algorithm 4). Where
/// `basis` is empty, Q is the identity: L = D F.
struct NormalApproximation {
  std::vector<double> mean;
  std::vector<double> scale;   ///< the diagonal of D
  std::vector<double> basis;   ///< Q, column after column: dimension x rank
  std::vector<double> factor;  ///< F, column after column: rank x rank
  double log_determinant = 0;  ///< log |det L|

  std::size_t dimension() const { return mean.size(); }
  /// mean + L z.
  void transform(const double* z, double* x) const;
  /// log density at mean + L z.
  double log_density(const double* z) const;
  /// sqrt((L L^T)_ii).
  std::vector<double> marginal_sds() const;
};

}  // namespace manychain
