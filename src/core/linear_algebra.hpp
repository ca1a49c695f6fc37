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

}  // namespace manychain
