// Paths to the parts of a model's mixtures, each alone.
//
// A narrow part of a mixture is a mode that no search by values of the density finds in many dimensions: everywhere
// else the other parts hide it. The language knows the parts, and the log density of each has a slope towards its peak.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/run/model.hpp"
#include "starts/pathfinder.hpp"
#include "starts/starts.hpp"

namespace manychain {

struct PartsOfMixtures {
  std::vector<Path> paths;      ///< of the densities of parts: their bounds are those of the part's mass
  std::size_t evaluations = 0;  ///< of density and gradient, in extended precision
};

/// Paths of the density with one part for each mixture (chain/mixture_parts.hpp), for each choice of parts, from the
/// point `from` (dimension); one of those that are alike. About `most` evaluations may be taken, and no path begins
/// where they do not suffice. `wanted` gives the seed, the numbers of paths and what cancels. A function of its
/// arguments.
PartsOfMixtures follow_parts_of_mixtures(const Model& model, const std::vector<double>& from,
                                         const StartsWanted& wanted, std::size_t most);

}  // namespace manychain
