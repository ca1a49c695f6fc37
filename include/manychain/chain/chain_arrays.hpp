// The memory of the chains of one run on one backend.
#pragma once

#include <cstddef>
#include <cstdint>

#include "manychain/core/block.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

/// Raw pointers into the memory of a backend. Everything is [component][chain], the chain index fastest, `stride`
/// chains apart: the number of chains rounded up to whole packs, a multiple of 64. Lanes left over run as chains whose
/// results nobody reads.
///
/// A vector of a fixed dimension of up to 32 is held in registers for the length of a block. Any other lies in working
/// memory, which is counted before the run starts (workspace_reals()). Memory is chains x dimensions, unless draws are
/// kept.
template <class Number>
struct ChainArrays {
  std::uint64_t seed = 0;
  std::uint64_t first_chain = 0;  ///< global number of local chain 0
  std::int64_t chains = 0;
  std::int64_t stride = 0;
  std::int64_t chains_per_group = 0;
  int dimension = 0;
  int outputs = 0;
  int first_derived = 0;      ///< output index of the first derived quantity
  Number initial_radius = 2;  ///< chains start uniformly between -initial_radius and initial_radius

  // Fields begin where the engine puts them: a pointer for each, as sums of a pointer and rows cost registers.
  Number* state[most_fields] = {};     ///< the fields of the sampler's state (samplers/state.hpp)
  Number* counters[most_fields] = {};  ///< those of Counters (chain/counters.hpp)
  Number* moments[2] = {};             ///< [dimension][stride] running mean and m2 of the warm-up window (Welford 1962)
  /// [dimension][stride] of the last transition: its start, its proposal, the momentum at the proposal and that at the
  /// start. Or null.
  Number* observed[4] = {};

  // Draws of all chains or of one pack, which are kept, or held until streaming diagnostics accumulate them.
  Number* draws = nullptr;  ///< [draw][outputs][draws_stride] or null
  Number* stats = nullptr;  ///< [draw][sample_stat_count][draws_stride] or null
  std::int64_t draws_stride = 0;
  std::int64_t draws_chain = 0;  ///< local chain that lies first in `draws` and `stats`

  const void* tuning = nullptr;  ///< the sampler's Tuning<Number>, one per group
};

}  // namespace manychain
