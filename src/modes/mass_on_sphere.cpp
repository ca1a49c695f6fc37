#include "modes/mass_on_sphere.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/linear_algebra.hpp"

namespace manychain {
namespace {

constexpr double step_of_gradients = 0.01;  // in standard deviations of the place
constexpr double lower = 2;                 // the log density a width off, at most: a normal's is lower by 0.5
constexpr int most_halvings = 6;

Eigen::VectorXd vector_of(const std::vector<double>& v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), eigen_index(v.size()));
}

/// One side of x along a direction of the sphere.
struct Side {
  Eigen::VectorXd direction;
  double width = 0;
  double integral = 0;  ///< of the density along it, in units of that at x
};

/// Halves widths until the density at their ends is not far lower than a normal's.
class Widths {
 public:
  Widths(const DensityEvaluator& density, const Whitened& white, const Eigen::VectorXd& z, double value,
         std::size_t& evaluations)
      : density_(density), white_(white), z_(z), value_(value), evaluations_(evaluations) {}

  void measure(std::vector<Side>& sides) {
    std::vector<Side*> open;
    for (Side& side : sides) open.push_back(&side);
    for (int halvings = 0; !open.empty(); ++halvings) {
      const std::vector<double> values = at_ends(open);
      std::vector<Side*> narrower;
      for (std::size_t k = 0; k < open.size(); ++k) {
        Side& side = *open[k];
        const double fall = value_ - values[k];
        if (!(fall < lower) && halvings < most_halvings) {
          side.width *= 0.5;
          narrower.push_back(&side);
        } else {
          // A normal's density is lower by 0.5 there.
          const double narrower_by = std::isfinite(fall) ? std::sqrt(std::max(2 * fall, 1.0)) : HUGE_VAL;
          side.integral = std::sqrt(std::numbers::pi / 2) * side.width / narrower_by;
        }
      }
      open = std::move(narrower);
    }
  }

 private:
  std::vector<double> at_ends(const std::vector<Side*>& sides) {
    std::vector<double> points, values(sides.size());
    for (const Side* side : sides) {
      const Eigen::VectorXd moved = z_ + side->width * side->direction, on_sphere = moved * (z_.norm() / moved.norm());
      const std::vector<double> x = white_.x_of(on_sphere.data());
      points.insert(points.end(), x.begin(), x.end());
    }
    density_(points.data(), values.size(), values.data(), nullptr);
    evaluations_ += values.size();
    return values;
  }

  const DensityEvaluator& density_;
  const Whitened& white_;
  const Eigen::VectorXd& z_;
  double value_;
  std::size_t& evaluations_;
};

}  // namespace

double log_mass_on_sphere(const DensityEvaluator& density, const Whitened& white, const double* x,
                          std::size_t& evaluations) {
  const std::size_t d = white.dimension();
  std::vector<double> points(x, x + d), values(2 * d + 1), gradients((2 * d + 1) * d);
  for (std::size_t i = 0; i < d; ++i)
    for (const double step : {step_of_gradients, -step_of_gradients})
      for (std::size_t j = 0; j < d; ++j) points.push_back(x[j] + step * white.axis(i)[j]);
  density(points.data(), values.size(), values.data(), gradients.data());
  evaluations += values.size();
  const auto gradient = [&](std::size_t point) { return vector_of(white.gradient(gradients.data() + point * d)); };
  Eigen::MatrixXd curvature(eigen_index(d), eigen_index(d));
  for (std::size_t i = 0; i < d; ++i)
    curvature.row(eigen_index(i)) = (gradient(2 * i + 2) - gradient(2 * i + 1)) / (2 * step_of_gradients);
  if (!curvature.allFinite() || !std::isfinite(values[0])) return std::nan("");
  const Eigen::VectorXd z = vector_of(white.z_of(x)), outward = z.normalized();
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(eigen_index(d), eigen_index(d)),
                        radial = outward * outward.transpose(), tangential = identity - radial,
                        bent =
                            0.5 * (curvature + curvature.transpose()) + gradient(0).dot(outward) / z.norm() * identity;
  // The radial direction has the largest eigenvalue, so that it is the last.
  const auto solved = symmetric_eigen(product(product(tangential, bent), tangential) + (1 + 2 * bent.norm()) * radial);
  if (!solved) return std::nan("");
  std::vector<Side> sides;
  for (std::size_t i = 0; i + 1 < d; ++i)
    for (const double sign : {1.0, -1.0}) {
      const double least = 1 / z.squaredNorm();
      sides.push_back(
          {sign * solved->vectors.col(eigen_index(i)), 1 / std::sqrt(std::max(solved->values[eigen_index(i)], least))});
    }
  Widths(density, white, z, values[0], evaluations).measure(sides);
  // If all directions are alike, the sides are those of a cube with the area of the sphere.
  const double n = static_cast<double>(d),
               log_sphere = std::log(2) + 0.5 * n * std::log(std::numbers::pi) - std::lgamma(0.5 * n) +
                            (n - 1) * std::log(z.norm()),
               widest = 0.5 * std::exp(log_sphere / std::max(n - 1, 1.0));
  double log_mass = values[0] + white.log_determinant();
  for (std::size_t k = 0; k < sides.size(); k += 2)
    log_mass += std::log(std::min(sides[k].integral, widest) + std::min(sides[k + 1].integral, widest));
  return log_mass;
}

}  // namespace manychain
