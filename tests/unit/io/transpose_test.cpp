#include "io/transpose.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

template <class Number, class Out>
void expect_turned_over(std::size_t rows, std::size_t columns) {
  std::vector<Number> from(rows * columns);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<Number>(i % 101);
  std::vector<Out> to(columns * (rows + 2), Out(-1));
  manychain::io::transpose<Number>(
      rows, columns, [&](std::size_t r) { return &from[r * columns]; }, to.data(), rows + 2);
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows + 2; ++r)
      ASSERT_EQ(to[c * (rows + 2) + r], r < rows ? Out(from[r * columns + c]) : Out(-1)) << rows << "x" << columns;
  }
}

TEST(Transpose, any_size) {
  for (const std::size_t rows : {1u, 3u, 16u, 35u, 64u}) {
    for (const std::size_t columns : {1u, 4u, 7u, 64u, 131u}) {
      expect_turned_over<float, float>(rows, columns);
      expect_turned_over<double, double>(rows, columns);
      expect_turned_over<float, signed char>(rows, columns);
    }
  }
}

}  // namespace
