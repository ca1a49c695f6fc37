#include "check/improper.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/eigen.hpp"

#include <Eigen/Eigenvalues>

#include "check/checked_density.hpp"
#include "check/term_search.hpp"
#include "manychain/chain/program.hpp"

namespace manychain {
namespace {

using Numbers = std::vector<double>;
constexpr std::size_t most_for_hessian = 500;  // components
constexpr double rounding = 1e-3;              // of a slope: 1 / x has one of exactly 1

/// Log densities along lines, counted.
class FarOut {
 public:
  explicit FarOut(const Model& model)
      : evaluate_(model.bound().evaluator()), extended_(model), gradient_(model.layout().dimension), at_(gradient_) {}

  double evaluations() const { return evaluations_; }
  const Numbers& gradient_at(const Numbers& point) {
    value(point);
    return gradient_;
  }

  /// Tells whether the density has no finite integral along a direction, one way or the other. Where components cancel
  /// each other they begin at multiples of 1/256, which 1e12 changes by no rounding.
  bool without_end(Numbers from, const Numbers& direction, bool cancels) {
    for (std::size_t i = 0; i < from.size() && cancels; ++i)
      if (direction[i] != 0) from[i] = std::round(256 * from[i]) / 256;
    if (!std::isfinite(value(from))) return false;  // no start was found: the sampler says so
    return one_way(from, direction, 1, cancels) || one_way(from, direction, -1, cancels);
  }

 private:
  double value(const Numbers& point) {
    double log_density = 0;
    evaluate_(point.data(), 1, &log_density, gradient_.data());
    ++evaluations_;
    return log_density;
  }

  bool one_way(const Numbers& from, const Numbers& direction, double sign, bool cancels) {
    constexpr std::array<double, 7> far = {1e12, 1e9, 1e6, 3e3, 600, 300, 30};
    const bool extends = extended_.terms() && extended_.solvers().empty();
    // A scale overflows, as the exponential of a component does.
    const double overflows = extends ? 3e3 : 600;
    double outer = 0, outer_distance = 0;
    for (const double distance : far) {
      for (std::size_t i = 0; i < from.size(); ++i) at_[i] = from[i] + sign * distance * direction[i];
      double there = value(at_);
      if (extends && (cancels || (!std::isfinite(there) && distance <= overflows))) there = extended_.value(at_.data());
      if (there == -HUGE_VAL && distance <= overflows) return false;
      if (!std::isfinite(there)) continue;
      if (outer_distance > 0) return there - outer <= (1 + rounding) * std::log(outer_distance / distance);
      outer = there;
      outer_distance = distance;
    }
    return false;
  }

  DensityEvaluator evaluate_;
  CheckedDensity extended_;
  Numbers gradient_, at_;
  double evaluations_ = 0;
};

/// A direction, and the components that have a part in it.
struct FlatDirection {
  Numbers along;
  std::vector<bool> moves;
};

/// Directions along which the gradient does not change at a point: eigenvectors of the Hessian, from differences of
/// gradients, in units of each component that leave ones on its diagonal. The largest element of a direction is 1, and
/// elements that rounding alone keeps from zero or a multiple of 1/1000 are that: far out the rest would count.
std::vector<FlatDirection> flat_directions(FarOut& far_out, const Numbers& from) {
  const std::size_t d = from.size();
  Eigen::MatrixXd hessian(eigen_index(d), eigen_index(d));
  Numbers at = from;
  for (std::size_t i = 0; i < d; ++i) {
    const double step = 1e-3 * std::max(1.0, 1e-3 * std::fabs(from[i]));  // seen beside the component
    at[i] = from[i] + step;
    const Numbers above = far_out.gradient_at(at);
    at[i] = from[i] - step;
    const Numbers& below = far_out.gradient_at(at);
    at[i] = from[i];
    for (std::size_t j = 0; j < d; ++j) hessian(eigen_index(i), eigen_index(j)) = (above[j] - below[j]) / (2 * step);
  }
  if (!hessian.allFinite()) return {};
  Eigen::VectorXd unit = hessian.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
  for (double& u : unit)
    if (!std::isfinite(u)) u = 1;
  hessian = unit.asDiagonal() * (0.5 * (hessian + hessian.transpose())).eval() * unit.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(hessian);
  const double largest = solved.eigenvalues().cwiseAbs().maxCoeff();
  std::vector<FlatDirection> directions;
  for (std::size_t k = 0; k < d; ++k) {
    if (std::fabs(solved.eigenvalues()[eigen_index(k)]) > 1e-6 * largest) continue;
    const Eigen::VectorXd part =
        solved.eigenvectors().col(eigen_index(k)).unaryExpr([](double x) { return std::fabs(x) < 1e-6 ? 0.0 : x; });
    const Eigen::VectorXd v = unit.cwiseProduct(part);
    Eigen::Index most = 0;
    v.cwiseAbs().maxCoeff(&most);
    FlatDirection direction{Numbers(d), std::vector<bool>(d)};
    for (std::size_t i = 0; i < d; ++i) {
      double& element = direction.along[i];
      element = v[eigen_index(i)] / v[most];
      const double rounded = std::round(1000 * element) / 1000;
      if (std::fabs(element - rounded) < 1e-5) element = rounded;
      direction.moves[i] = std::fabs(part[eigen_index(i)]) > 0.01;
    }
    directions.push_back(std::move(direction));
  }
  return directions;
}

}  // namespace

std::vector<std::string> improper_parameters(const Model& model, const std::vector<double>& points, double most) {
  const std::size_t d = model.layout().dimension, count = points.size() / std::max<std::size_t>(d, 1);
  if (count == 0) return {};
  const auto point = [&](std::size_t k) {
    return Numbers(points.begin() + static_cast<std::ptrdiff_t>(k * d),
                   points.begin() + static_cast<std::ptrdiff_t>((k + 1) * d));
  };
  FarOut far_out(model);
  const auto found = [&](const std::vector<bool>& improper) {
    return std::find(improper.begin(), improper.end(), true) != improper.end();
  };
  std::vector<bool> improper(d);
  Numbers direction(d, 0.0);
  for (std::size_t i = 0; i < d && far_out.evaluations() < most; ++i) {
    direction[i] = 1;
    improper[i] = true;
    for (std::size_t k = 0; k < count && improper[i]; ++k)
      improper[i] = far_out.without_end(point(k), direction, false);
    direction[i] = 0;
  }
  const std::vector<std::string>& names = model.layout().unconstrained_names;
  if (found(improper)) return by_parameter(names, improper);
  if (d > most_for_hessian || far_out.evaluations() + 2 * static_cast<double>(d) > most) return {};
  for (const FlatDirection& together : flat_directions(far_out, point(0))) {
    if (!far_out.without_end(point(0), together.along, true)) continue;
    for (std::size_t i = 0; i < d; ++i) improper[i] = improper[i] || together.moves[i];
  }
  return by_parameter(names, improper);
}

}  // namespace manychain
