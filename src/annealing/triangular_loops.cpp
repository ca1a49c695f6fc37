#include "annealing/triangular_loops.hpp"

#include <algorithm>

#include "manychain/core/pack.hpp"

namespace manychain {
namespace {

using Lanes = Pack<double>;
constexpr std::size_t width = Lanes::lanes, vectors_at_once = 8;
static_assert(padded_rows(1) % width == 0);

/// Rows row, ..., row + width - 1 of M x for `count` vectors, whose sums stay in registers.
template <std::size_t count>
void multiply_rows(const double* columns, std::size_t d, bool lower, const double* x, double* y, std::size_t row) {
  Lanes sums[count];
  for (std::size_t v = 0; v < count; ++v) sums[v] = Lanes(0.0);
  const std::size_t begin = lower ? 0 : row, end = lower ? std::min(row + width, d) : d;
  for (std::size_t j = begin; j < end; ++j) {
    const Lanes column = xsimd::batch<double>::load_unaligned(columns + j * padded_rows(d) + row);
    for (std::size_t v = 0; v < count; ++v) sums[v] = fma(column, Lanes(x[v * d + j]), sums[v]);
  }
  const std::size_t rows = std::min(width, d - row);
  for (std::size_t v = 0; v < count; ++v) {
    double* const to = y + v * d + row;
    if (rows == width) {
      sums[v].v.store_unaligned(to);
      continue;
    }
    double lanes[width];
    sums[v].v.store_unaligned(lanes);
    for (std::size_t i = 0; i < rows; ++i) to[i] = lanes[i];
  }
}

}  // namespace

void multiply_triangular(const double* columns, std::size_t d, bool lower, const double* x, std::size_t count,
                         double* y) {
  std::size_t v = 0;
  for (; v + vectors_at_once <= count; v += vectors_at_once)
    for (std::size_t row = 0; row < d; row += width)
      multiply_rows<vectors_at_once>(columns, d, lower, x + v * d, y + v * d, row);
  for (; v < count; ++v)
    for (std::size_t row = 0; row < d; row += width) multiply_rows<1>(columns, d, lower, x + v * d, y + v * d, row);
}

}  // namespace manychain
