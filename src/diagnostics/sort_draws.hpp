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

/// The memory that the sort of `size` draws needs.
inline constexpr int sort_cell_bits = 16;
inline constexpr std::size_t sort_cells = std::size_t(2) << sort_cell_bits;
/// Cells for so many draws: those for few lie in the first caches.
constexpr std::size_t sort_cells_for(std::size_t size) {
  std::size_t cells = std::size_t(2) << 10;
  while (cells < sort_cells && cells < 4 * size) cells *= 2;
  return cells;
}
/// So many draws are sorted without buckets: all that it takes fits in a cache.
inline constexpr std::size_t few_draws = 8192;
constexpr std::size_t sort_scaled_for(std::size_t size) { return 2 * (size < few_draws ? size : few_draws); }
template <class Number>
struct SortMemory {
  typename SortEntry<Number>::type *entries, *scratch;  ///< `size` each
  std::uint32_t* cells;                                 ///< sort_cells_for(size)
  std::uint64_t* scaled;                                ///< sort_scaled_for(size)
};

/// Draws in tiles of `width` sequences, of which the last one may have fewer.
struct TiledDraws {
  std::size_t full;  ///< draws in full tiles, without gaps
  std::size_t rows;  ///< of the last tile
  std::size_t rest;  ///< draws in each of them; 0: there is no such tile
  std::size_t width;
};

/// Writes all draws in ascending order and their places, equal ones by place. No draw is NaN.
///
/// Few draws are sorted by their distances from the least, in 32 bits. Of more a histogram cuts buckets of neighbouring
/// values, each of which the first cache holds; one pass takes the draws there, and each is sorted like few draws.
/// If these crowd in a small part of their range, they are sorted by the bits of their values.
void sort_draws(const float* draws, const TiledDraws& shape, const SortMemory<float>& memory, float* sorted,
                std::uint32_t* place);
void sort_draws(const double* draws, const TiledDraws& shape, const SortMemory<double>& memory, double* sorted,
                std::uint32_t* place);

}  // namespace manychain::diagnostics
