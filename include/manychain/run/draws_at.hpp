// The places of the draws of a run in ranks, once it has ended.
#pragma once

#include <cstddef>

namespace manychain {

/// The ranks that have draws, their statistics and pointwise log likelihoods in their Result. Summary and verdict are
/// those of all chains at every rank, whatever is chosen here.
enum class DrawsAt {
  all_ranks,   ///< all chains, at every rank
  first_rank,  ///< all chains, at the first rank; the others have none
  own_rank     ///< at every rank those of its own chains
};

/// Consecutive chains.
struct HeldChains {
  std::size_t first = 0, count = 0;
};

}  // namespace manychain
