#include "core/linear_algebra.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace manychain {

using Eigen::MatrixXd;

MatrixXd product(const MatrixXd& a, const MatrixXd& b) { return a * b; }
MatrixXd transposed_product(const MatrixXd& a, const MatrixXd& b) { return a.transpose() * b; }

std::optional<SymmetricEigen> symmetric_eigen(const MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(a);
  if (solver.info() != Eigen::Success) return std::nullopt;
  return SymmetricEigen{solver.eigenvalues(), solver.eigenvectors()};
}

std::optional<MatrixXd> cholesky_factor(const MatrixXd& a) {
  const Eigen::LLT<MatrixXd> cholesky(a);
  if (cholesky.info() != Eigen::Success) return std::nullopt;
  return MatrixXd(cholesky.matrixL());
}

MatrixXd lower_inverse(const MatrixXd& lower) {
  return lower.triangularView<Eigen::Lower>().solve(MatrixXd::Identity(lower.rows(), lower.cols()));
}

ThinQr thin_qr(const MatrixXd& a) {
  const Eigen::HouseholderQR<MatrixXd> qr(a);
  return {qr.householderQ() * MatrixXd::Identity(a.rows(), a.cols()),
          qr.matrixQR().topRows(a.cols()).triangularView<Eigen::Upper>()};
}

RightSingular right_singular(const MatrixXd& a) {
  const Eigen::JacobiSVD<MatrixXd, Eigen::NoQRPreconditioner> solved(a, Eigen::ComputeFullV);
  return {solved.singularValues(), solved.matrixV()};
}

}  // namespace manychain
