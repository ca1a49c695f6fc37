// Matrices turned over, between two orders of draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace manychain::io {

/// Column c of `to` gets row(r)[c] at to[c * to_stride + r], for r < rows and c < columns. `row(r)` is a pointer.
template <class Number, class Out, class Row>
void transpose(std::size_t rows, std::size_t columns, const Row& row, Out* to, std::size_t to_stride) {
  // A few cache lines of each row are read before the next rows; a line of `to` is written whole before the next
  // column.
  constexpr std::size_t wide = 64, high = 16, side = 4;
  for (std::size_t c0 = 0; c0 < columns; c0 += wide) {
    const std::size_t c1 = c0 + wide < columns ? c0 + wide : columns;
    for (std::size_t r0 = 0; r0 < rows; r0 += high) {
      const std::size_t r1 = r0 + high < rows ? r0 + high : rows;
      const Number* from[high];
      for (std::size_t r = r0; r < r1; ++r) from[r - r0] = row(r);
      std::size_t c = c0;
      if constexpr (sizeof(Number) == 4 && sizeof(Out) == 4) {
        // Four rows and four columns in registers.
        using Four = std::uint32_t __attribute__((vector_size(16)));
        for (; r1 - r0 == high && c + side <= c1; c += side) {
          for (std::size_t r = 0; r < high; r += side) {
            Four a, b, d, e;
            std::memcpy(&a, from[r] + c, sizeof a);
            std::memcpy(&b, from[r + 1] + c, sizeof b);
            std::memcpy(&d, from[r + 2] + c, sizeof d);
            std::memcpy(&e, from[r + 3] + c, sizeof e);
            const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), AB = __builtin_shufflevector(a, b, 2, 6, 3, 7);
            const Four de = __builtin_shufflevector(d, e, 0, 4, 1, 5), DE = __builtin_shufflevector(d, e, 2, 6, 3, 7);
            const Four column[side] = {
                __builtin_shufflevector(ab, de, 0, 1, 4, 5), __builtin_shufflevector(ab, de, 2, 3, 6, 7),
                __builtin_shufflevector(AB, DE, 0, 1, 4, 5), __builtin_shufflevector(AB, DE, 2, 3, 6, 7)};
            for (std::size_t k = 0; k < side; ++k)
              std::memcpy(static_cast<void*>(to + (c + k) * to_stride + r0 + r), &column[k], sizeof column[k]);
          }
        }
      }
      for (; c < c1; ++c) {
        for (std::size_t r = r0; r < r1; ++r) to[c * to_stride + r] = static_cast<Out>(from[r - r0][c]);
      }
    }
  }
}

}  // namespace manychain::io
