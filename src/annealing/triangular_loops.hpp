// Products of a triangular matrix with many vectors, in the lanes of the CPU.
#pragma once

#include <cstddef>

namespace manychain {

/// Rows of a column in memory: a multiple of any number of lanes, those beyond the dimension are zero.
constexpr std::size_t padded_rows(std::size_t dimension) { return (dimension + 7) / 8 * 8; }

/// y = M x of `count` vectors, [vector][dimension] each. `columns`: M, [column][padded_rows(dimension)]. `lower`: what
/// lies above the diagonal of M is zero, else what lies below it. x and y do not overlap.
void multiply_triangular(const double* columns, std::size_t dimension, bool lower, const double* x, std::size_t count,
                         double* y);

}  // namespace manychain
