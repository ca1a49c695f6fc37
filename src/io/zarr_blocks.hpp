// Blocks of draws as the chunks of a Zarr store have them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/crc32c.hpp"
#include "io/transpose.hpp"
#include "io/zarr_array.hpp"
#include "manychain/diagnostics/draws.hpp"

namespace manychain::io {

/// A variable that grows, and the block of it that is not full.
struct GrowingArray {
  std::size_t group, array;  // places
  bool stat = false;
  std::size_t variable = 0, elements = 1;  // in Draws
  DrawValues<char> block;                  ///< chunks of all columns that are written, one behind the other
};

inline std::string checksum_of(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes.data(), bytes.size());
  return {reinterpret_cast<const char*>(&crc), sizeof crc};
}

/// Makes `block` as many chunks in which no draw has been put, in the memory that it has.
inline void empty_block(const ZarrArray& array, std::size_t columns, DrawValues<char>& block) {
  block.resize(columns * array.chunk_bytes());
  if (array.type == ZarrType::boolean) return std::fill(block.begin(), block.end(), '\0');
  const auto fill = [&](auto unwritten) {
    auto* const numbers = reinterpret_cast<decltype(unwritten)*>(block.data());
    std::fill(numbers, numbers + block.size() / sizeof unwritten, unwritten);
  };
  array.type == ZarrType::float32 ? fill(float(NAN)) : fill(double(NAN));
}

/// [chain][draw][element] of a block from [draw][variable][chain].
template <class Number, class Out>
void put_draws(const Draws& draws, const DrawValues<Number>& values, std::size_t first, std::size_t count,
               const GrowingArray& of, std::size_t place, std::size_t block_draws, DrawValues<char>& block) {
  Out* const to = reinterpret_cast<Out*>(block.data()) + place * of.elements;
  transpose<Number>(
      count * of.elements, draws.chains,
      [&](std::size_t row) {
        const std::size_t draw = first + row / of.elements;
        return &values[(draw * draws.variables + of.variable + row % of.elements) * draws.chains];
      },
      to, block_draws * of.elements);
}

}  // namespace manychain::io
