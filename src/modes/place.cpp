#include "modes/place.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace manychain {

Place::Place(const std::vector<double>& positions, const Metric& metric)
    : eigenvalues_(metric.eigenvalues), directions_(metric.directions) {
  const std::size_t d = metric.scale.size(), n = d > 0 ? positions.size() / d : 0;
  usable_ = n >= 4;
  if (!usable_) return;
  centre_.assign(d, 0);
  sds_.assign(d, 0);
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t i = 0; i < d; ++i) centre_[i] += positions[c * d + i] / static_cast<double>(n);
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t i = 0; i < d; ++i) sds_[i] += std::pow(positions[c * d + i] - centre_[i], 2);
  const std::vector<double> variances = metric.variances();
  for (std::size_t i = 0; i < d; ++i) {
    sds_[i] = std::sqrt(sds_[i] / static_cast<double>(n - 1));
    // Directions widen a component by this factor.
    scale_.push_back(sds_[i] * metric.scale[i] / std::sqrt(variances[i]));
    usable_ = usable_ && std::isfinite(centre_[i]) && std::isfinite(scale_[i]) && scale_[i] > 0;
    inverse_scale_.push_back(1 / scale_[i]);
    log_determinant_ += std::log(scale_[i]);
  }
  for (const double lambda : eigenvalues_) {
    usable_ = usable_ && lambda > 0 && std::isfinite(lambda);
    log_determinant_ += 0.5 * std::log(lambda);
  }
}

template <class Factor>
void Place::along_directions(std::vector<double>& v, const Factor& factor) const {
  const std::size_t d = dimension();
  for (std::size_t j = 0; j < eigenvalues_.size(); ++j) {
    const double* const u = directions_.data() + j * d;
    double along = 0;
    for (std::size_t i = 0; i < d; ++i) along += u[i] * v[i];  // directions are orthogonal to each other
    along *= factor(eigenvalues_[j]) - 1;
    for (std::size_t i = 0; i < d; ++i) v[i] += along * u[i];
  }
}

std::vector<double> Place::transform(std::vector<double> z) const {
  along_directions(z, [](double lambda) { return std::sqrt(lambda); });
  for (std::size_t i = 0; i < z.size(); ++i) z[i] *= scale_[i];
  return z;
}

void Place::times(const double* v, std::vector<double>& moved) const {
  moved.assign(v, v + dimension());
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] *= scale_[i];
  along_directions(moved, [](double lambda) { return lambda; });
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] *= scale_[i];
}

std::vector<double> Place::solve_difference(const double* a, const double* b) const {
  std::vector<double> moved(dimension());
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = (a[i] - b[i]) / scale_[i];
  along_directions(moved, [](double lambda) { return 1 / lambda; });
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] /= scale_[i];
  return moved;
}

double Place::squared_distance(const double* a, const double* b) const {
  const std::size_t d = dimension();
  double sum = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const double w = (a[i] - b[i]) * inverse_scale_[i];
    sum += w * w;
  }
  for (std::size_t j = 0; j < eigenvalues_.size(); ++j) {
    const double* const u = directions_.data() + j * d;
    double along = 0;
    for (std::size_t i = 0; i < d; ++i) along += u[i] * (a[i] - b[i]) * inverse_scale_[i];
    sum += (1 / eigenvalues_[j] - 1) * along * along;
  }
  return sum;
}

double Place::log_density(const double* x) const {
  const double n = static_cast<double>(dimension());
  return -0.5 * squared_distance(x, centre_.data()) - log_determinant_ - 0.5 * n * std::log(2 * std::numbers::pi);
}

namespace {

constexpr double fewest_inside = 0.35, most_inside = 0.65;  // of draws, in the half of a normal distribution
constexpr double even = 1;                                  // the standard deviation of log q - log p

/// log q - log p of the draws in the ellipsoid that holds half of q, the normal of the place.
std::vector<double> inner_ratios(const Place& place, const std::vector<double>& draws,
                                 const std::vector<double>& log_densities) {
  const std::size_t d = place.dimension();
  const double n = static_cast<double>(d);
  // The median of chi-squared, by Wilson and Hilferty (1931).
  const double half = n * std::pow(1 - 2 / (9 * n), 3);
  std::vector<double> ratios;
  for (std::size_t c = 0; c < log_densities.size(); ++c) {
    const double* const x = draws.data() + c * d;
    if (!std::isfinite(log_densities[c]) || !(place.squared_distance(x, place.centre().data()) < half)) continue;
    ratios.push_back(place.log_density(x) - log_densities[c]);
  }
  return ratios;
}

}  // namespace

bool fits(const Place& place, const std::vector<double>& draws, const std::vector<double>& log_densities) {
  const std::vector<double> ratios = inner_ratios(place, draws, log_densities);
  const double inside = static_cast<double>(ratios.size()) / static_cast<double>(log_densities.size());
  if (!(inside > fewest_inside && inside < most_inside)) return false;
  const double count = static_cast<double>(ratios.size()),
               mean = std::accumulate(ratios.begin(), ratios.end(), 0.0) / count;
  double squares = 0;
  for (const double ratio : ratios) squares += (ratio - mean) * (ratio - mean);
  return squares < even * even * count;
}

double log_mass(const Place& place, const std::vector<double>& draws, const std::vector<double>& log_densities) {
  const std::vector<double> ratios = inner_ratios(place, draws, log_densities);
  if (ratios.empty()) return std::numeric_limits<double>::infinity();
  const double largest = *std::max_element(ratios.begin(), ratios.end());
  double sum = 0;
  for (const double ratio : ratios) sum += std::exp(ratio - largest);
  return -(largest + std::log(2 * sum / static_cast<double>(log_densities.size())));
}

}  // namespace manychain
