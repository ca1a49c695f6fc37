// Blocks of draws as the chunks of a Zarr store have them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

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
  std::string block;
};

inline std::string checksum_of(const std::string& bytes) {
  const std::uint32_t crc = crc32c(bytes.data(), bytes.size());
  return {reinterpret_cast<const char*>(&crc), sizeof crc};
}

/// A block in which no draw has been put.
inline std::string empty_block(const ZarrArray& array) {
  std::string block(array.chunk_bytes(), '\0');
  if (array.type == ZarrType::boolean) return block;
  const float nan32 = NAN;
  const double nan64 = NAN;
  const bool single = array.type == ZarrType::float32;
  for (std::size_t i = 0; i < block.size(); i += single ? 4 : 8)
    std::memcpy(&block[i], single ? static_cast<const void*>(&nan32) : &nan64, single ? 4 : 8);
  return block;
}

/// [chain][draw][element] of a block from [draw][variable][chain].
template <class Number, class Out>
void put_draws(const Draws& draws, const DrawValues<Number>& values, std::size_t first, std::size_t count,
               const GrowingArray& of, std::size_t place, std::size_t block_draws, std::string& block) {
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
