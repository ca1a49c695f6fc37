// Points far from where the chains of a run are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "manychain/model/data/layout.hpp"
#include "modes/place.hpp"

namespace manychain {

/// Numbers of paths and points of a look for modes, whose random numbers are those of Purpose::pathfinder: no path that
/// begins where a chain does has so large a number.
inline constexpr std::uint64_t first_wide_point = std::uint64_t{1} << 46, first_path_of_look = first_wide_point << 1;

/// Each point is of one of these kinds, in turn:
/// - 4 to 100 standard deviations from the chains, in any direction, or along one component;
/// - uniform in a box of the unconstrained scale around its origin, or on its diagonal, with edges of 0.04 to 64;
/// - a chain's position with other signs of some components or of all;
/// - a chain's position whose vectors have their elements in another order, the same for all vectors of one size.
/// Modes often lie so: labels are exchanged, or signs. Behind 1024 points the last two kinds are no longer drawn.
class WidePoints {
 public:
  /// `positions`: [chain][dimension] of some chains. Looks of other numbers have other points.
  WidePoints(const Layout& layout, const Place& place, const std::vector<double>& positions, std::uint64_t seed,
             std::uint64_t look = 0);
  /// Points first, first + 1, ...: [point][dimension].
  std::vector<double> operator()(std::size_t first, std::size_t count) const;

 private:
  /// From as many normals as there are dimensions, and three uniforms more.
  std::vector<double> point(std::size_t k, const double* normals, const double* u) const;
  std::vector<double> exchanged(std::vector<double> x, std::size_t which, const double* u) const;

  const Place& place_;
  const std::vector<double>& positions_;
  std::uint64_t seed_, first_;  ///< number of the first point, for its random numbers
  /// [size][vector][element]: components of vectors of one size.
  std::vector<std::vector<std::vector<std::size_t>>> vectors_;
};

}  // namespace manychain
