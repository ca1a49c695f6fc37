// A triangular matrix that many vectors are multiplied by.
#pragma once

#include <cstddef>
#include <vector>

namespace manychain {

class TriangularMatrix {
 public:
  TriangularMatrix() = default;
  /// `columns`: [column][row].
  TriangularMatrix(const double* columns, std::size_t dimension, bool lower);

  /// y = M x for each of `count` vectors, one after another.
  void multiply(const double* x, std::size_t count, double* y) const;

 private:
  std::size_t dimension_ = 0;
  bool lower_ = true;
  std::vector<double> columns_;
};

}  // namespace manychain
