// The approximation of a quasi-Newton method to the inverse Hessian of the negative log density.
#pragma once

#include <memory>
#include <optional>

#include "core/eigen.hpp"
#include "starts/normal_approximation.hpp"

namespace manychain {

/// An approximate inverse Hessian, always positive definite.
class Curvature {
 public:
  virtual ~Curvature() = default;
  virtual Eigen::VectorXd times(const Eigen::VectorXd& v) const = 0;
  /// Learns from a step and the change of the gradient of the negative log density along it. False where they show no
  /// positive curvature, and nothing has changed.
  virtual bool update(const Eigen::VectorXd& step, const Eigen::VectorXd& change) = 0;
  virtual std::unique_ptr<Curvature> clone() const = 0;
  /// The normal approximation of this covariance, around a mean; nothing where rounding has spoilt it.
  virtual std::optional<NormalApproximation> normal(const Eigen::VectorXd& mean) const = 0;
};

/// BFGS (Nocedal and Wright 2006, equation 6.17) from the inverse Hessian L L^T.
std::unique_ptr<Curvature> dense_curvature(const Eigen::MatrixXd& factor);
/// L-BFGS with the last `history` steps on a diagonal that learns, too (Gilbert and Lemarechal 1989; Zhang and others
/// 2022, algorithm 3). `diagonal`: what it is at first, an inverse Hessian.
std::unique_ptr<Curvature> limited_curvature(const Eigen::VectorXd& diagonal, std::size_t history);

/// N(mean, L L^T), `log_determinant` that of L.
NormalApproximation dense_normal(const Eigen::VectorXd& mean, const Eigen::MatrixXd& factor, double log_determinant);

}  // namespace manychain
