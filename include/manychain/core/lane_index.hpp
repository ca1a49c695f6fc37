// An index that differs from chain to chain: the opaque index of observe() in a minibatch.
#pragma once

#include <cstdint>

#include "manychain/core/real.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

template <class R>
struct LaneIndex {
  alignas(sizeof(std::int32_t) * R::lanes) std::int32_t j[R::lanes];

  MANYCHAIN_HD LaneIndex times(int factor) const {
    LaneIndex product;
    MANYCHAIN_UNROLL
    for (int l = 0; l < R::lanes; ++l) product.j[l] = j[l] * factor;
    return product;
  }
};

/// base[j] of each lane.
template <class T>
MANYCHAIN_HD Scalar<T> gathered(const T* base, const LaneIndex<Scalar<T>>& index) {
  return Scalar<T>(base[index.j[0]]);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
