#include "starts/normal_approximation.hpp"

#include <cmath>
#include <numbers>

#include "core/linear_algebra.hpp"

namespace manychain {
namespace {

using Columns = Eigen::Map<const Eigen::MatrixXd>;
using VectorView = Eigen::Map<const Eigen::VectorXd>;

Eigen::Index rank_of(const NormalApproximation& normal) {
  return normal.basis.empty() ? eigen_index(normal.dimension()) : eigen_index(normal.basis.size() / normal.dimension());
}
Columns factor_of(const NormalApproximation& normal) {
  return {normal.factor.data(), rank_of(normal), rank_of(normal)};
}
Columns basis_of(const NormalApproximation& normal) {
  return {normal.basis.data(), eigen_index(normal.dimension()), rank_of(normal)};
}

}  // namespace

void NormalApproximation::transform(const double* z, double* x) const {
  const Eigen::Index n = eigen_index(dimension());
  const VectorView u(z, n);
  Eigen::Map<Eigen::VectorXd> moved(x, n);
  if (basis.empty()) {
    moved.noalias() = factor_of(*this) * u;
  } else {
    const Eigen::VectorXd inside = basis_of(*this).transpose() * u;
    moved = u + basis_of(*this) * (factor_of(*this) * inside - inside);
  }
  moved = VectorView(mean.data(), n) + VectorView(scale.data(), n).cwiseProduct(moved);
}

double NormalApproximation::log_density(const double* z) const {
  const double n = static_cast<double>(dimension());
  return -0.5 * VectorView(z, eigen_index(dimension())).squaredNorm() - log_determinant -
         0.5 * n * std::log(2 * std::numbers::pi);
}

std::vector<double> NormalApproximation::marginal_sds() const {
  const Eigen::Index n = eigen_index(dimension());
  Eigen::VectorXd variance;
  if (basis.empty())
    variance = factor_of(*this).rowwise().squaredNorm();
  else
    variance = Eigen::VectorXd::Ones(n) - basis_of(*this).rowwise().squaredNorm() +
               product(basis_of(*this), factor_of(*this)).rowwise().squaredNorm();
  std::vector<double> sds(dimension());
  Eigen::Map<Eigen::VectorXd>(sds.data(), n) =
      VectorView(scale.data(), n).cwiseProduct(variance.cwiseMax(0).cwiseSqrt());
  return sds;
}

}  // namespace manychain
