// An index that differs from chain to chain: the opaque index of observe() in a minibatch. A body takes it as it takes
// a RowRange (core/row_block.hpp), for it never looks inside.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "manychain/core/real.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

template <class R>
struct LaneIndex {
  alignas(sizeof(std::int32_t) * R::lanes) std::int32_t j[R::lanes];
};

/// Whole numbers of the data that differ from lane to lane: what a LaneIndex selects of ints. They select elements in
/// turn, and stand for a Real where one is wanted.
template <class R>
struct LaneIntegers : LaneIndex<R> {
  using LaneIndex<R>::j;
  MANYCHAIN_HD operator R() const {
    alignas(sizeof(number_of<R>) * R::lanes) number_of<R> numbers[R::lanes];
    for (int l = 0; l < R::lanes; ++l) numbers[l] = static_cast<number_of<R>>(j[l]);
    R x;
    load(x, numbers);
    return x;
  }
};
template <class T>
inline constexpr bool is_lane_integers = false;
template <class R>
inline constexpr bool is_lane_integers<LaneIntegers<R>> = true;

/// Between them, or one and a plain number.
template <class M, class R, class B>
requires(Arithmetic<B> || std::is_same_v<B, LaneIntegers<R>>) MANYCHAIN_HD R
    select(const M& mask, const LaneIntegers<R>& a, const B& b) {
  return select(mask, R(a), R(b));
}
template <class M, Arithmetic A, class R>
MANYCHAIN_HD R select(const M& mask, A a, const LaneIntegers<R>& b) {
  return select(mask, R(a), R(b));
}

// As of ints: a quotient is rounded towards zero.
#define MANYCHAIN_LANE_OPERATOR(op)                                                              \
  template <class R>                                                                             \
  MANYCHAIN_HD LaneIntegers<R> operator op(const LaneIntegers<R>& a, const LaneIntegers<R>& b) { \
    LaneIntegers<R> result;                                                                      \
    for (int l = 0; l < R::lanes; ++l) result.j[l] = a.j[l] op b.j[l];                           \
    return result;                                                                               \
  }                                                                                              \
  template <class R, std::integral I>                                                            \
  MANYCHAIN_HD LaneIntegers<R> operator op(const LaneIntegers<R>& a, I b) {                      \
    LaneIntegers<R> result;                                                                      \
    for (int l = 0; l < R::lanes; ++l) result.j[l] = a.j[l] op static_cast<int>(b);              \
    return result;                                                                               \
  }                                                                                              \
  template <class R, std::integral I>                                                            \
  MANYCHAIN_HD LaneIntegers<R> operator op(I a, const LaneIntegers<R>& b) {                      \
    LaneIntegers<R> result;                                                                      \
    for (int l = 0; l < R::lanes; ++l) result.j[l] = static_cast<int>(a) op b.j[l];              \
    return result;                                                                               \
  }
MANYCHAIN_LANE_OPERATOR(+)
MANYCHAIN_LANE_OPERATOR(-)
MANYCHAIN_LANE_OPERATOR(*)
MANYCHAIN_LANE_OPERATOR(/)
MANYCHAIN_LANE_OPERATOR(%)
#undef MANYCHAIN_LANE_OPERATOR

template <class R>
MANYCHAIN_HD LaneIntegers<R> abs(const LaneIntegers<R>& a) {
  LaneIntegers<R> result;
  for (int l = 0; l < R::lanes; ++l) result.j[l] = a.j[l] < 0 ? -a.j[l] : a.j[l];
  return result;
}

/// Index of a row for each lane.
template <class R>
struct LanePointers {
  using number = number_of<R>;
  const number* p[R::lanes];
};

/// Number of consecutive numbers that each lane reads at once: one load a lane and a transposition are faster than as
/// many gathers. On packs it is 16 bytes of a row, several times as fast as a gather for each column. One where nothing
/// is gained.
template <class R>
inline constexpr int run_length = 1;

/// base[j] of each lane.
template <class R>
MANYCHAIN_HD LaneIntegers<R> gathered_integers(const int* base, const LaneIndex<R>& index) {
  LaneIntegers<R> result;
  for (int l = 0; l < R::lanes; ++l) result.j[l] = base[index.j[l]];
  return result;
}
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
