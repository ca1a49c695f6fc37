// Decompositions and products of dense matrices in double, compiled once: Eigen's templates take seconds a unit.
#pragma once

#include <optional>

#include "core/eigen.hpp"

namespace manychain {

/// a b
Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
/// a^T b
Eigen::MatrixXd transposed_product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// a = vectors diag(values) vectors^T.
struct SymmetricEigen {
  Eigen::VectorXd values;   ///< ascending
  Eigen::MatrixXd vectors;  ///< a column each
};

/// The eigenpairs of `a`, from its lower triangle. Nothing where the iteration does not converge, as with elements that
/// are not finite.
std::optional<SymmetricEigen> symmetric_eigen(const Eigen::MatrixXd& a);

/// The lower factor L of a = L L^T. Nothing where `a` is not positive definite.
std::optional<Eigen::MatrixXd> cholesky_factor(const Eigen::MatrixXd& a);

/// The inverse of a lower triangle without zeros on its diagonal.
Eigen::MatrixXd lower_inverse(const Eigen::MatrixXd& lower);

/// a = q r, with as many columns of q as of `a`, which must not have more columns than rows.
struct ThinQr {
  Eigen::MatrixXd q, r;
};
ThinQr thin_qr(const Eigen::MatrixXd& a);

/// The values and right vectors of a = u diag(values) vectors^T, for a square `a`, values falling. Small values are
/// exact to the rounding of the largest, unlike roots of eigenvalues of a^T a. Jacobi rotations, d^3 each
/// sweep: seconds for 500 rows, where Eigen's BDCSVD takes a tenth and 15 s of a compiler.
struct RightSingular {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;  ///< a column each
};
RightSingular right_singular(const Eigen::MatrixXd& a);

}  // namespace manychain
