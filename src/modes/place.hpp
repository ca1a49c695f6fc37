// The place where the chains of a run are: a normal distribution, and the mass of the density there.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "manychain/samplers/metric.hpp"

namespace manychain {

/// `b` has as many elements as `a`.
inline double dot(const std::vector<double>& a, const double* b) {
  return std::inner_product(a.begin(), a.end(), b, 0.0);
}

/// N(centre, L L^T), L = D (I + U (sqrt(Lambda) - I) U^T): mean and standard deviations of positions of chains,
/// correlations of the metric. Distances are in its standard deviations.
class Place {
 public:
  /// `positions`: [chain][dimension]. Throws nothing; see usable().
  Place(const std::vector<double>& positions, const Metric& metric);

  /// False where a component does not move, or something is not finite.
  bool usable() const { return usable_; }
  std::size_t dimension() const { return centre_.size(); }
  const std::vector<double>& centre() const { return centre_; }
  const std::vector<double>& sds() const { return sds_; }
  /// L z.
  std::vector<double> transform(std::vector<double> z) const;
  /// L L^T v.
  void times(const double* v, std::vector<double>& product) const;
  /// (L L^T)^-1 (a - b).
  std::vector<double> solve_difference(const double* a, const double* b) const;
  /// (a - b)^T (L L^T)^-1 (a - b).
  double squared_distance(const double* a, const double* b) const;
  double log_density(const double* x) const;

 private:
  /// Adds U (f(Lambda) - I) U^T v to v.
  template <class Factor>
  void along_directions(std::vector<double>& v, const Factor& factor) const;

  std::vector<double> centre_, sds_, scale_, inverse_scale_;
  std::vector<double> eigenvalues_, directions_;  ///< as Metric
  double log_determinant_ = 0;
  bool usable_ = true;
};

/// The logarithm of the mass of a density, from draws of it and their unnormalised log densities: the reciprocal of the
/// mean of q / p (Gelfand and Dey 1994) with q the normal of the place inside of the ellipsoid that holds half of it,
/// where q / p is bounded. The better q fits, the more precise; where it does not fit, the estimate tends to be too
/// large. Infinite: no draw is there.
double log_mass(const Place& place, const std::vector<double>& draws, const std::vector<double>& log_densities);

/// True if the place's normal distribution fits the draws so well that log_mass() is right to a factor of two: half of
/// them are in its inner half, and there log q - log p hardly varies.
bool fits(const Place& place, const std::vector<double>& draws, const std::vector<double>& log_densities);

}  // namespace manychain
