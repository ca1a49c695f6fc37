// Modes that lie apart, with their shares of the posterior by the weights of particles.
#pragma once

#include <cstddef>
#include <vector>

#include "annealing/annealing.hpp"
#include "annealing/find_reference.hpp"
#include "manychain/run/result.hpp"

namespace manychain {

struct WeighedModes {
  std::vector<WeighedMode> modes;   ///< the largest first
  std::vector<std::size_t> member;  ///< [particle] the number of its mode, in that order
  std::size_t differs = 0;          ///< the component by which modes differ most, in standard deviations within them
};

/// A particle belongs to the mode of the part of the reference where it most likely is.
WeighedModes weigh_modes(const FoundReference& found, const Annealed& annealed);

}  // namespace manychain
