// The curvature of a density at a point, from differences of its gradient.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/eigen.hpp"
#include "manychain/chain/program.hpp"

namespace manychain {

/// The negative log density with its gradient. Outside of the support both are infinite.
struct DensityPoint {
  Eigen::VectorXd x, gradient;
  double value = HUGE_VAL;
  bool finite() const { return std::isfinite(value); }
};

/// Likewise at several points, a column each.
struct DensityColumns {
  Eigen::VectorXd values;
  Eigen::MatrixXd gradients;
  bool finite(Eigen::Index k) const { return std::isfinite(values(k)); }
};

/// Evaluates, and counts how often.
class NegativeLogDensity {
 public:
  explicit NegativeLogDensity(const DensityEvaluator& log_density) : log_density_(log_density) {}
  DensityPoint operator()(const Eigen::VectorXd& x);
  /// At each column, all at once.
  DensityColumns at_columns(const Eigen::MatrixXd& points);
  std::size_t evaluations() const { return evaluations_; }

 private:
  const DensityEvaluator& log_density_;
  std::size_t evaluations_ = 0;
};

/// A factor of the inverse Hessian: |H|^-1 = L L^T, where |H| has the absolute eigenvalues of H (Dauphin and others
/// 2014, NeurIPS, section 5), in coordinates in which its diagonal is one.
struct MeasuredHessian {
  Eigen::MatrixXd factor;
  double log_determinant = 0;  ///< log |det L|
  double asymmetry = 0;        ///< of the differences, relative to the diagonal: large where rounding spoilt some
  /// Steps, one standard deviation by `factor` each, along which the curvature is less than `stretched` of what the
  /// factor that came in had said.
  std::vector<Eigen::VectorXd> flat;
};

/// From dimension differences of the gradient, one for each column of `factor`, as long as `step` times it. They are as
/// accurate as `factor` is near the right one: measure twice if it was a guess. Nothing where no difference is finite.
std::optional<MeasuredHessian> measure_hessian(NegativeLogDensity& f, const DensityPoint& at,
                                               const Eigen::MatrixXd& factor, double log_determinant, double step,
                                               double stretched);

/// Scales d such that the rows of diag(d) H diag(d) have about the same length, from at most `rounds` differences along
/// random signs (Bradley 2010, Algorithms for the equilibration of matrices, thesis at Stanford, section 4).
/// `signs(round)` holds a positive or negative number for each dimension. A row of zeros keeps the scale one.
Eigen::VectorXd equilibrate(NegativeLogDensity& f, const DensityPoint& at, std::size_t rounds,
                            const std::function<std::vector<double>(std::size_t)>& signs, double step);

}  // namespace manychain
