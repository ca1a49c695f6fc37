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
#include <vector>

#include "manychain/run/model.hpp"
#include "modes/place.hpp"

namespace manychain {

struct LookWanted {
  const std::vector<double>& positions;  ///< [chain][dimension], behind warm-up
  /// Points where chains stood that were moved elsewhere: [point][dimension].
  const std::vector<double>& left;
  std::uint64_t seed = 0;
  std::size_t evaluations = 0;  ///< about as many may be taken; see evaluations_of_look()
  int threads = 1;
  const std::atomic<bool>* cancel = nullptr;  ///< or null
};

/// A mode, apart from the place of the chains.
struct FoundMode {
  std::vector<double> starts;  ///< points there, [start][dimension]
  double log_mass = 0;         ///< of the density, by the lower bound of Pathfinder
  /// A point x belongs to the mode if dot(towards, x) is above `beyond`, half way from the chains' place, in standard
  /// deviations of both.
  std::vector<double> towards;
  double beyond = 0;
  std::size_t chains = 0;  ///< of those looked at, that are at the mode already

  bool has(const double* x) const { return dot(towards, x) > beyond; }
};

struct FoundModes {
  std::size_t points = 0;        ///< from which it climbed
  std::size_t elsewhere = 0;     ///< distinct peaks beyond a valley
  std::size_t evaluations = 0;   ///< of density and gradient, in double
  double log_mass = 0;           ///< at the chains
  std::vector<FoundMode> modes;  ///< with a part of the posterior that matters, the largest first
};

inline constexpr double least_share = 0.005;  ///< of the posterior, of a mode that matters
inline constexpr std::size_t starts_of_mode = 32;

/// 1.5 % of `gradients`, those of the run so far, or 0.5 % if one is expensive; no more than read 2^29 numbers, and no
/// more than 40000. 0: too few to look at anything. A function of model and settings.
std::size_t evaluations_of_look(const Model& model, std::uint64_t gradients);

/// A function of the model and of what is wanted; threads change nothing.
FoundModes look_for_modes(const Model& model, const Place& place, const LookWanted& wanted);

}  // namespace manychain
