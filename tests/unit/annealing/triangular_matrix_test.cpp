// Products in lanes are those that the definition gives, for dimensions and numbers of vectors that fill no register.
#include "annealing/triangular_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace manychain::test {
namespace {

double element(std::size_t i, std::size_t j) {
  return std::sin(1.0 + 3.0 * static_cast<double>(i) + static_cast<double>(j));
}

void expect_products(std::size_t d, std::size_t count, bool lower) {
  const auto m = [&](std::size_t i, std::size_t j) { return (lower ? i >= j : i <= j) ? element(i, j) : 0.0; };
  std::vector<double> columns(d * d), x(count * d), y(count * d, NAN);
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t i = 0; i < d; ++i) columns[j * d + i] = m(i, j);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::cos(static_cast<double>(k));
  TriangularMatrix(columns.data(), d, lower).multiply(x.data(), count, y.data());
  for (std::size_t v = 0; v < count; ++v)
    for (std::size_t i = 0; i < d; ++i) {
      double expected = 0;
      for (std::size_t j = 0; j < d; ++j) expected += m(i, j) * x[v * d + j];
      EXPECT_NEAR(y[v * d + i], expected, 1e-13) << d << ", " << count << ", " << lower;
    }
}

TEST(TriangularMatrix, multiplies_vectors) {
  for (const std::size_t d : {1u, 7u, 8u, 11u, 40u})
    for (const std::size_t count : {1u, 8u, 19u}) {
      expect_products(d, count, true);
      expect_products(d, count, false);
    }
}

}  // namespace
}  // namespace manychain::test
