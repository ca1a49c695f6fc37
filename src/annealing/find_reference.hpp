// A reference for annealing, from paths to the modes of a posterior.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "annealing/reference.hpp"
#include "manychain/run/model.hpp"

namespace manychain {

/// Parts beside the two wide ones; one goes around all of more places.
inline constexpr std::size_t most_narrow_parts = 14;

struct ReferenceWanted {
  std::vector<std::vector<double>> from;  ///< a path begins at each of these
  std::uint64_t seed = 0;
  std::uint64_t first_path = 0;  ///< number of the first path, for its random numbers
  int threads = 1;
  const std::atomic<bool>* cancel = nullptr;  ///< or null
  std::uint64_t first_look = 1;               ///< number of the first look, for its points
  std::size_t most_looks = 4;
};

struct FoundReference {
  Reference reference;
  /// [part] the mode that it belongs to, of those between which the density falls; of no meaning for wide parts.
  std::vector<std::size_t> mode = {};
  std::size_t modes = 0;
  std::vector<bool> of_mixture = {};  ///< [part] it is a part of a mixture of the model, maybe a spike within another
  std::vector<std::vector<double>> centres = {};  ///< of the places that it was made of
  bool around_many = false;                       ///< one normal goes around all of them: there may be any number
  std::size_t evaluations = 0;                    ///< of density and gradient, in double
};

/// Normals at the modes to which paths lead that hold some of the posterior, and at those that looks from points far
/// away find beside them (modes/look.hpp), until one finds no other, wider than Pathfinder has them; and two that reach
/// beyond: one of twice the width of all together, one of five times, at least of that of the usual starting points.
/// More than 14 places stand for any number: one normal goes around those that were found. A
/// function of its arguments; threads change nothing.
FoundReference find_reference(const Model& model, const ReferenceWanted& wanted);

}  // namespace manychain
