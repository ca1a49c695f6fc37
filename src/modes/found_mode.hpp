// A mode of a posterior in which no chain is, or too few.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "modes/place.hpp"
#include "starts/pathfinder.hpp"

namespace manychain {

/// A mode, apart from the place of the chains.
struct FoundMode {
  std::vector<double> starts;  ///< points there, [start][dimension]
  double log_mass = 0;         ///< of the density, by the lower bound of Pathfinder
  Path path;                   ///< with the normal distribution that fits it, if it is `normal`
  /// False: no normal distribution fits it. `log_mass` may be far too small, and chains that start there show its
  /// extent.
  bool normal = true;
  std::shared_ptr<const Place> extent;  ///< the place of these chains; null if it is normal, or none have run
  /// A point x belongs to the mode if dot(towards, x) is above `beyond`, half way from the chains' place, in standard
  /// deviations of both.
  std::vector<double> towards;
  double beyond = 0;
  std::size_t chains = 0;  ///< of those looked at, that are at the mode already
  /// Not null: no plane parts the mode from the chains. It has the points that are more than `beyond` standard
  /// deviations of this place from its centre, or, if it is `within`, less; `towards` is empty.
  std::shared_ptr<const Place> around;
  bool within = false;

  bool has(const double* x) const {
    if (!around) return dot(towards, x) > beyond;
    return (around->squared_distance(x, around->centre().data()) > beyond * beyond) != within;
  }
};

inline constexpr double least_share = 0.005;  ///< of the posterior, of a mode that matters
inline constexpr std::size_t starts_of_mode = 32;
inline constexpr std::size_t most_dimensions_of_any_shape = 50;  ///< a plane from so many chains tells no more

}  // namespace manychain
