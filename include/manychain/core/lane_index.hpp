// An index that differs from chain to chain: the opaque index of observe() in a minibatch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "manychain/core/real.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

template <class R>
struct LaneIndex {
  alignas(sizeof(std::int32_t) * R::lanes) std::int32_t j[R::lanes];
};

/// Where each lane reads: a row of its own.
template <class R>
struct LanePointers {
  using number = number_of<R>;
  const number* p[R::lanes];

  LanePointers() = default;
  MANYCHAIN_HD LanePointers(const number* base, const LaneIndex<R>& row, int columns) {
    MANYCHAIN_UNROLL
    for (int l = 0; l < R::lanes; ++l) p[l] = base + std::ptrdiff_t{row.j[l]} * columns;
  }
};

/// How many consecutive numbers each lane reads at once: one load a lane and a transposition are faster than as many
/// gathers. One where nothing is gained.
template <class R>
inline constexpr int run_length = 1;

/// base[j] of each lane.
template <class T>
MANYCHAIN_HD Scalar<T> gathered(const T* base, const LaneIndex<Scalar<T>>& index) {
  return Scalar<T>(base[index.j[0]]);
}
/// p[column] of each lane.
template <class T>
MANYCHAIN_HD Scalar<T> gathered(const LanePointers<Scalar<T>>& from, int column) {
  return Scalar<T>(from.p[0][column]);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
