// Random indices.
#pragma once

#include "manychain/core/lane_index.hpp"
#include "manychain/random/stream.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// An index below n in each lane, from 32 random bits: the upper half of their product with n. Probabilities differ by
/// n 2^-32 at most, relatively.
template <class R>
MANYCHAIN_HD LaneIndex<R> lane_index(const Bits<R>& bits, int n) {
  LaneIndex<R> index;
  MANYCHAIN_UNROLL
  for (int l = 0; l < R::lanes; ++l)
    index.j[l] = static_cast<std::int32_t>((std::uint64_t{bits.lane(l)} * static_cast<std::uint64_t>(n)) >> 32);
  return index;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
