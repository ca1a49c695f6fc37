// Points in standard deviations of a place.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "modes/place.hpp"

namespace manychain {

/// x = centre + L z, with the place N(centre, L L^T).
class Whitened {
 public:
  explicit Whitened(const Place& place) : place_(place) {
    const std::size_t d = place.dimension();
    for (std::size_t i = 0; i < d; ++i) {
      std::vector<double> z(d, 0.0);
      z[i] = 1;
      axes_.push_back(place.transform(std::move(z)));
    }
  }
  std::size_t dimension() const { return axes_.size(); }
  /// A column of L.
  const std::vector<double>& axis(std::size_t i) const { return axes_[i]; }
  /// L^T g.
  std::vector<double> gradient(const double* g) const {
    std::vector<double> turned;
    for (const std::vector<double>& axis : axes_) turned.push_back(dot(axis, g));
    return turned;
  }
  /// L^T (L L^T)^-1 (x - centre).
  std::vector<double> z_of(const double* x) const {
    return gradient(place_.solve_difference(x, place_.centre().data()).data());
  }
  std::vector<double> x_of(const double* z) const {
    std::vector<double> x = place_.centre();
    for (std::size_t i = 0; i < axes_.size(); ++i)
      for (std::size_t j = 0; j < x.size(); ++j) x[j] += z[i] * axes_[i][j];
    return x;
  }
  double log_determinant() const {
    const double d = static_cast<double>(axes_.size());
    return -place_.log_density(place_.centre().data()) - 0.5 * d * std::log(2 * std::numbers::pi);
  }

 private:
  const Place& place_;
  std::vector<std::vector<double>> axes_;
};

}  // namespace manychain
