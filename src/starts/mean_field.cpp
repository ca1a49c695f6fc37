#include "starts/mean_field.hpp"

#include <cmath>
#include <memory>
#include <utility>

#include "core/linear_algebra.hpp"
#include "starts/curvature.hpp"
#include "starts/line_search.hpp"

namespace manychain {
namespace {

using DenseMatrix = Eigen::MatrixXd;
using DenseVector = Eigen::VectorXd;

constexpr Eigen::Index pairs = 8;  // of draws
constexpr std::size_t steps_remembered = 20;
constexpr double no_more_to_gain = 1e-3;   // g^T H g: twice what the bound may still gain
constexpr double gain_of_round = 0.1;      // of the bound, in a round
constexpr double curvature_of_log_sd = 2;  // of the negative bound of a normal posterior

/// The negative bound, less a constant, at (means, log sds).
class NegativeBound {
 public:
  NegativeBound(NegativeLogDensity& f, Eigen::Index dimension,
                const std::function<std::vector<double>(std::size_t)>& draw)
      : f_(f), n_(dimension), z_(dimension, 2 * pairs) {
    for (Eigen::Index k = 0; k < pairs; ++k) {
      const std::vector<double> z = draw(static_cast<std::size_t>(k));
      z_.col(2 * k) = Eigen::Map<const DenseVector>(z.data(), n_);
      z_.col(2 * k + 1) = -z_.col(2 * k);
    }
  }

  DensityPoint operator()(const DenseVector& at) const {
    const DenseVector sds = at.tail(n_).array().exp();
    const DenseMatrix points = (sds.asDiagonal() * z_).colwise() + at.head(n_);
    const DensityColumns there = f_.at_columns(points);
    const double weight = 0.5 / static_cast<double>(pairs);
    DensityPoint bound{at, DenseVector(2 * n_), weight * there.values.sum() - at.tail(n_).sum()};
    const DenseMatrix moves = points.colwise() - at.head(n_);
    bound.gradient << weight * there.gradients.rowwise().sum(),
        (weight * there.gradients.cwiseProduct(moves).rowwise().sum()).array() - 1;
    return bound;
  }

 private:
  NegativeLogDensity& f_;
  Eigen::Index n_;
  DenseMatrix z_;
};

}  // namespace

MeanField fit_mean_field(NegativeLogDensity& f, const MeanField& from,
                         const std::function<std::vector<double>(std::size_t)>& draw, std::size_t max_evaluations) {
  const Eigen::Index n = eigen_index(from.mean.size());
  const NegativeBound bound(f, n, draw);
  const std::size_t last = f.evaluations() + max_evaluations;
  DenseVector at(2 * n);
  at << Eigen::Map<const DenseVector>(from.mean.data(), n),
      Eigen::Map<const DenseVector>(from.sds.data(), n).array().log().matrix();
  DensityPoint now = bound(at);
  // Scales change on the way out of a spike by orders of magnitude, and what L-BFGS remembers is then of no use.
  for (double before = HUGE_VAL; before - now.value > gain_of_round && f.evaluations() < last;) {
    before = now.value;
    DenseVector inverse_hessian(2 * n);
    inverse_hessian << (2 * now.x.tail(n)).array().exp().matrix(), DenseVector::Constant(n, 1 / curvature_of_log_sd);
    const std::unique_ptr<Curvature> curvature = limited_curvature(inverse_hessian, steps_remembered);
    while (f.evaluations() < last) {
      const DenseVector direction = -curvature->times(now.gradient);
      if (!(-direction.dot(now.gradient) > no_more_to_gain)) break;
      LineResult result;
      DensityPoint next = step_along(bound, now, direction, result);
      if (!result.wolfe && !(now.value > next.value)) break;
      curvature->update(next.x - now.x, next.gradient - now.gradient);
      now = std::move(next);
    }
  }
  MeanField fitted = from;
  Eigen::Map<DenseVector>(fitted.mean.data(), n) = now.x.head(n);
  Eigen::Map<DenseVector>(fitted.sds.data(), n) = now.x.tail(n).array().exp();
  return fitted;
}

}  // namespace manychain
