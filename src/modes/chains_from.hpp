// Short Hamiltonian chains on the host from one point, to see if a run's steps lead away from there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "manychain/chain/program.hpp"
#include "modes/whitened.hpp"

namespace manychain {

struct ChainsWanted {
  double step_size = 1, trajectory = 1;  ///< of leapfrog steps, in standard deviations of the place
  double radius = 0;                     ///< a chain leaves once it is nearer to the centre of the place
  std::size_t transitions = 32;          ///< at most, and as many as 4096 evaluations allow
  std::uint64_t seed = 0, path = 0;      ///< of random numbers of Purpose::pathfinder
};

struct ChainsSeen {
  double acceptance = 0;  ///< rate of their transitions
  double leaves = 0;      ///< the chance of a chain to leave in one transition, about
  bool none_left = true;  ///< `leaves` is that of half a chain
};

/// 4 to 16 chains. Adds its evaluations of density and gradient to `evaluations`.
ChainsSeen chains_from(const DensityEvaluator& density, const Whitened& white, const double* x,
                       const ChainsWanted& wanted, std::size_t& evaluations);

}  // namespace manychain
