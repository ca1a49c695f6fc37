#include "starts/measured_hessian.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/linear_algebra.hpp"

namespace manychain {
namespace {

using DenseMatrix = Eigen::MatrixXd;
using DenseVector = Eigen::VectorXd;

constexpr double least_eigenvalue = 1e-11;  ///< of a matrix with unit diagonal: below is rounding
constexpr double well_conditioned = 1e-6;   ///< above, the triangular factor of a matrix does as well as eigenvectors
constexpr double longest = 1e3;             ///< of a flat direction, against the factor that came in
constexpr double equilibrated = 2;          ///< natural logarithm of a row's length

/// The gradient's change along each column of `moves`, divided by `step`; on the other side where this one is outside
/// of the support.
std::vector<std::optional<DenseVector>> gradient_differences(NegativeLogDensity& f, const DensityPoint& at,
                                                             const DenseMatrix& moves, double step) {
  std::vector<std::optional<DenseVector>> found(static_cast<std::size_t>(moves.cols()));
  std::vector<Eigen::Index> left(found.size());
  std::iota(left.begin(), left.end(), Eigen::Index{0});
  for (const double side : {step, -step}) {
    DenseMatrix points(moves.rows(), eigen_index(left.size()));
    for (Eigen::Index k = 0; k < points.cols(); ++k)
      points.col(k) = at.x + side * moves.col(left[static_cast<std::size_t>(k)]);
    const DensityColumns there = f.at_columns(points);
    std::vector<Eigen::Index> outside;
    for (Eigen::Index k = 0; k < points.cols(); ++k) {
      const Eigen::Index column = left[static_cast<std::size_t>(k)];
      if (there.finite(k))
        found[static_cast<std::size_t>(column)] = (there.gradients.col(k) - at.gradient) / side;
      else
        outside.push_back(column);
    }
    left = std::move(outside);
  }
  return found;
}

}  // namespace

DensityPoint NegativeLogDensity::operator()(const DenseVector& x) {
  DensityColumns there = at_columns(x);
  if (!there.finite(0)) return {x, DenseVector::Zero(x.size()), HUGE_VAL};
  return {x, there.gradients.col(0), there.values(0)};
}

DensityColumns NegativeLogDensity::at_columns(const DenseMatrix& points) {
  const Eigen::Index count = points.cols();
  std::vector<Eigen::Index> finite;
  for (Eigen::Index k = 0; k < count; ++k)
    if (points.col(k).allFinite()) finite.push_back(k);
  DensityColumns found{DenseVector::Constant(count, HUGE_VAL), DenseMatrix(points.rows(), count)};
  const auto put = [&](Eigen::Index k, double log_density, const auto& gradient) {
    if (!std::isfinite(log_density) || !gradient.allFinite()) return;
    found.values(k) = -log_density;
    found.gradients.col(k) = -gradient;
  };
  evaluations_ += finite.size();
  DenseVector log_densities(eigen_index(finite.size()));
  if (finite.size() == static_cast<std::size_t>(count)) {
    log_density_(points.data(), finite.size(), log_densities.data(), found.gradients.data());
    for (Eigen::Index k = 0; k < count; ++k) put(k, log_densities(k), found.gradients.col(k));
    return found;
  }
  const DenseMatrix asked = points(Eigen::all, finite);
  DenseMatrix gradients(asked.rows(), asked.cols());
  log_density_(asked.data(), finite.size(), log_densities.data(), gradients.data());
  for (Eigen::Index j = 0; j < asked.cols(); ++j)
    put(finite[static_cast<std::size_t>(j)], log_densities(j), gradients.col(j));
  return found;
}

namespace {

/// L^-T for a well-conditioned positive definite a = L L^T: each of its eigenvalues is above `least`. Otherwise
/// nothing.
std::optional<DenseMatrix> factor_of_inverse(const DenseMatrix& a, double least) {
  std::optional<DenseMatrix> lower = cholesky_factor(a);
  if (!lower) return std::nullopt;
  const DenseMatrix inverse = lower_inverse(*lower);
  // The squares of its elements sum to the trace of the inverse of `a`, which is above each reciprocal eigenvalue.
  if (!(inverse.squaredNorm() * least < 1)) return std::nullopt;
  return DenseMatrix(inverse.transpose());
}

}  // namespace

std::optional<MeasuredHessian> measure_hessian(NegativeLogDensity& f, const DensityPoint& at, const DenseMatrix& factor,
                                               double log_determinant, double step, double stretched) {
  const Eigen::Index n = at.x.size();
  DenseMatrix hessian = DenseMatrix::Zero(n, n);
  bool any = false;
  const std::vector<std::optional<DenseVector>> changes = gradient_differences(f, at, factor, step);
  for (Eigen::Index j = 0; j < n; ++j) {
    const std::optional<DenseVector>& change = changes[static_cast<std::size_t>(j)];
    any = any || change.has_value();
    if (change)
      hessian.col(j) = factor.transpose() * *change;
    else
      hessian(j, j) = 1;  // nothing new
  }
  const DenseMatrix skew = (hessian - hessian.transpose()) / 2;
  hessian -= skew;
  if (!any || !hessian.allFinite()) return std::nullopt;

  DenseVector unit(n);  // the scale of each column: flat ones keep theirs
  for (Eigen::Index j = 0; j < n; ++j) {
    const double diagonal = std::fabs(hessian(j, j));
    unit(j) = diagonal > 0 ? 1 / std::sqrt(diagonal) : 1;
  }
  const DenseMatrix scaled = unit.asDiagonal() * hessian * unit.asDiagonal();
  if (!scaled.allFinite()) return std::nullopt;
  MeasuredHessian measured;
  measured.asymmetry = (unit.asDiagonal() * skew * unit.asDiagonal()).cwiseAbs().maxCoeff();
  // The curvature along a direction is at least that of the least eigenvalue, over the square of the longest unit.
  const double least = std::max(stretched * unit.cwiseAbs2().maxCoeff(), well_conditioned);
  if (const auto inverse = factor_of_inverse(scaled, least)) {
    measured.factor = product(factor, unit.asDiagonal() * *inverse);
    measured.log_determinant = log_determinant + unit.array().log().sum() + inverse->diagonal().array().log().sum();
    if (!measured.factor.allFinite() || !std::isfinite(measured.log_determinant)) return std::nullopt;
    return measured;
  }
  const std::optional<SymmetricEigen> eigen = symmetric_eigen(scaled);
  if (!eigen) return std::nullopt;
  DenseVector length(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const double size = std::fabs(eigen->values(j));
    length(j) = size > 0 ? 1 / std::sqrt(std::max(size, least_eigenvalue)) : 1;
  }
  const DenseMatrix turned = unit.asDiagonal() * eigen->vectors;
  measured.factor = product(factor, turned) * length.asDiagonal();
  measured.log_determinant = log_determinant + unit.array().log().sum() + length.array().log().sum();
  if (!measured.factor.allFinite() || !std::isfinite(measured.log_determinant)) return std::nullopt;
  // The most stretched columns. An exact zero has no length, and is flat all the same.
  for (Eigen::Index j = 0; j < n; ++j) {
    const DenseVector direction = turned.col(j);
    const double curvature = direction.dot(hessian * direction) / direction.squaredNorm();
    if (std::fabs(curvature) < stretched)
      measured.flat.push_back(factor * direction * std::min(length(j), longest / direction.norm()));
  }
  return measured;
}

DenseVector equilibrate(NegativeLogDensity& f, const DensityPoint& at, std::size_t rounds,
                        const std::function<std::vector<double>(std::size_t)>& signs, double step) {
  const Eigen::Index n = at.x.size();
  DenseVector scale = DenseVector::Ones(n);
  for (std::size_t k = 0; k < rounds; ++k) {
    const std::vector<double> sign = signs(k);
    DenseVector move(n);
    for (Eigen::Index i = 0; i < n; ++i) move(i) = sign[static_cast<std::size_t>(i)] < 0 ? -scale(i) : scale(i);
    const std::optional<DenseVector> change = gradient_differences(f, at, move, step).front();
    if (!change) continue;
    double farthest = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double length = scale(i) * std::fabs((*change)(i));
      if (!(length > 0) || !std::isfinite(length)) continue;
      farthest = std::max(farthest, std::fabs(std::log(length)));
      scale(i) *= std::pow(length, k < rounds / 2 ? -0.5 : -0.25);
    }
    if (farthest < equilibrated) break;
  }
  return scale;
}

}  // namespace manychain
