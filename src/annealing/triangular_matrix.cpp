#include "annealing/triangular_matrix.hpp"

#include <algorithm>

#include "annealing/triangular_loops.hpp"

namespace manychain {

TriangularMatrix::TriangularMatrix(const double* columns, std::size_t dimension, bool lower)
    : dimension_(dimension), lower_(lower), columns_(dimension * padded_rows(dimension)) {
  for (std::size_t j = 0; j < dimension; ++j)
    std::copy_n(columns + j * dimension, dimension, columns_.data() + j * padded_rows(dimension));
}

void TriangularMatrix::multiply(const double* x, std::size_t count, double* y) const {
  multiply_triangular(columns_.data(), dimension_, lower_, x, count, y);
}

}  // namespace manychain
