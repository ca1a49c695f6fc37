// Shares of the posterior of modes beside a place of any shape, by annealing.
#pragma once

#include <cstddef>
#include <vector>

#include "annealing/annealing.hpp"
#include "modes/found_mode.hpp"

namespace manychain {

struct WeighedPlaces {
  std::vector<WeightedMean> shares;  ///< [mode]; what is left belongs to the place
  std::size_t evaluations = 0;
};

/// Particles begin in a mixture of normals: a half of them at the place, of its width and of twice that, the others at
/// the modes. A particle belongs to where the normals, which are wider than what they are fitted to, most likely have
/// it. A function of its arguments; threads change nothing. Throws SamplingFailed as find_schedule() does.
WeighedPlaces weigh_places(const Model& model, const Place& place, const std::vector<const FoundMode*>& modes,
                           const AnnealingWanted& wanted);

}  // namespace manychain
