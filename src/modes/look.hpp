// A look for modes of a posterior that no chain of a run has found.
//
// Chains begin near the origin of the unconstrained scale, or where paths from there lead: none may ever come to a
// mode that lies elsewhere, and they agree all the same. Behind warm-up the place of the chains is known. From points
// far away the host climbs the density, in double. Most points come to that place again, with one or two evaluations.
// Peaks that are left count if nothing but a valley leads to them, and if the normal approximation there has a part of
// the posterior that matters (Pathfinder's lower bound against the mass at the chains). That chains which start there
// stay there is left to the caller.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "manychain/run/model.hpp"
#include "modes/found_mode.hpp"
#include "modes/place.hpp"

namespace manychain {

struct LookWanted {
  const std::vector<double>& positions;  ///< [chain][dimension], behind warm-up
  /// Points where chains stood that were moved elsewhere: [point][dimension].
  const std::vector<double>& left;
  std::vector<double> peaks = {};  ///< that are known: [peak][dimension]
  /// Log of the mass of the density as far as it is known, or NaN: that at the chains is estimated from them.
  double log_mass = std::numeric_limits<double>::quiet_NaN();
  std::size_t most_modes = 4;  ///< for which normals are fitted
  std::uint64_t seed = 0;
  std::uint64_t number = 0;     ///< each look of a run has points of its own
  std::size_t evaluations = 0;  ///< about as many may be taken; see evaluations_of_look()
  int threads = 1;
  const std::atomic<bool>* cancel = nullptr;  ///< or null
};

struct FoundModes {
  std::size_t points = 0;       ///< from which it climbed
  std::size_t elsewhere = 0;    ///< distinct peaks beyond a valley
  std::size_t evaluations = 0;  ///< of density and gradient, in double
  double log_mass = 0;          ///< at the chains, or as it was known
  /// True: no normal distribution fits the chains, and `log_mass` may be far too large. Modes are then all that have a
  /// part of the posterior if the mass at the chains is less by exp(3).
  bool log_mass_is_doubtful = false;
  /// Normal modes with a part of the posterior that matters, the largest first, and all that no normal distribution
  /// fits: their mass is not known yet.
  std::vector<FoundMode> modes;
};

/// 1.5 % of `gradients`, those of the run so far, or 0.5 % if one is expensive; no more than read 2^29 numbers, and no
/// more than 40000. Up to 5 % as long as these are no more than 3072, and read no more than 2^19 numbers. 0: too few to
/// look at anything. A function of model and settings.
std::size_t evaluations_of_look(const Model& model, std::uint64_t gradients);
/// That of a look for what is annealed.
std::size_t evaluations_of_look(const Model& model);

/// One in so many evaluations of a look, at most, is for parts of mixtures (modes/parts_of_mixtures.hpp).
inline constexpr std::size_t part_on_mixtures = 4;

/// Parts the mode from the chains at `positions`, whose place is `place`: by a plane half way between that and `mean`,
/// in standard deviations of both, those of the mode from `mode.starts`. Counts the chains on the mode's side.
void set_plane(FoundMode& mode, const Place& place, const std::vector<double>& mean,
               const std::vector<double>& positions);

/// The number of the points that are of the mode by its normal approximation, about: [point][dimension].
std::size_t points_in(const FoundMode& mode, const std::vector<double>& points);

/// A function of the model and of what is wanted; threads change nothing.
FoundModes look_for_modes(const Model& model, const Place& place, const LookWanted& wanted);

}  // namespace manychain
