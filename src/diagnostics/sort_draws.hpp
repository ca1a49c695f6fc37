// The draws of one variable in ascending order, for a CPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace manychain::diagnostics {

/// A draw on its way to its rank: its bits, in an order of integers, and its place. In single precision both share one
/// number.
struct WideEntry {
  std::uint64_t key;
  std::uint32_t place;
};
template <class Number>
struct SortEntry;
template <>
struct SortEntry<float> {
  using type = std::uint64_t;
};
template <>
struct SortEntry<double> {
  using type = WideEntry;
};

/// Sorts draws in tiles of `width`, `count` draws in each row of a tile but the last tile's, which holds `rest`
/// (0: there is no such tile): `rows` rows a tile. Writes all draws in ascending order and their places, equal ones by
/// place. `entries` and `scratch` have room for as many as there are draws; no draw is NaN.
///
/// Buckets of neighbouring values, each of which the first cache holds, are cut by a histogram; one pass takes the
/// draws there, and each is sorted by radix. Draws that crowd in a bucket cost time, no more: their bucket is sorted
/// likewise.
struct TiledDraws {
  std::size_t full;  ///< draws in full tiles, without gaps
  std::size_t rows;  ///< of the last tile
  std::size_t rest;  ///< draws in each of them
  std::size_t width;
};
void sort_draws(const float* draws, const TiledDraws& shape, std::uint64_t* entries, std::uint64_t* scratch,
                float* sorted, std::uint32_t* place);
void sort_draws(const double* draws, const TiledDraws& shape, WideEntry* entries, WideEntry* scratch, double* sorted,
                std::uint32_t* place);

}  // namespace manychain::diagnostics
