// The sort of draws in buckets against the standard library's.
#include "diagnostics/sort_draws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace manychain::diagnostics;

/// Draws of many kinds: what crowds in few buckets, too.
template <class Number>
Number draw(int kind, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const double x = normal(random);
  switch (kind) {
    case 0:
      return static_cast<Number>(x);
    case 1:
      return static_cast<Number>(1000 + x);
    case 2:
      return static_cast<Number>(std::exp(20 * x));
    case 3:
      return static_cast<Number>(std::round(2 * x));  // few values, both zeros among them
    case 4:
      return static_cast<Number>(3);
    case 5:
      return static_cast<Number>(1 + 1e-7 * x);
    default:
      return static_cast<Number>(x > 4 ? -1e30 : x < -4 ? std::numeric_limits<Number>::denorm_min() : 1000 + x);
  }
}

template <class Number>
class SortDraws : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(SortDraws, Numbers);

TYPED_TEST(SortDraws, as_the_standard_library) {
  std::mt19937 random(3);
  for (int kind = 0; kind < 7; ++kind) {
    // Whole tiles; one that lacks sequences; this alone, with a single sequence; one draw.
    for (const TiledDraws& shape : {TiledDraws{40000, 0, 0, 8}, TiledDraws{16000, 100, 3, 8}, TiledDraws{0, 5000, 1, 8},
                                    TiledDraws{0, 1, 1, 8}, TiledDraws{8, 0, 0, 8}, TiledDraws{2056, 1, 7, 8}}) {
      const std::size_t size = shape.full + shape.rows * shape.rest;
      std::vector<TypeParam> draws(shape.full + shape.rows * shape.width, -77), sorted(size);
      std::vector<std::uint32_t> expected, place(size);
      const auto put = [&](std::size_t at) {
        draws[at] = draw<TypeParam>(kind, random);
        expected.push_back(static_cast<std::uint32_t>(at));
      };
      for (std::size_t i = 0; i < shape.full; ++i) put(i);
      for (std::size_t row = 0; row < shape.rows; ++row)
        for (std::size_t k = 0; k < shape.rest; ++k) put(shape.full + row * shape.width + k);
      // -0 before 0. Chain code takes them for the same, and so may this unit: the sign is asked of the bits.
      const auto negative = [&](std::uint32_t i) {
        unsigned char bytes[sizeof(TypeParam)];
        std::memcpy(bytes, &draws[i], sizeof bytes);
        return bytes[sizeof bytes - 1] >> 7 != 0;
      };
      std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
        return draws[a] < draws[b] || (draws[a] == draws[b] && negative(a) && !negative(b));
      });
      std::vector<typename SortEntry<TypeParam>::type> entries(size), scratch(size);
      std::vector<std::uint32_t> cells(sort_cells_for(size));
      std::vector<std::uint64_t> scaled(sort_scaled_for(size));
      sort_draws(draws.data(), shape, {entries.data(), scratch.data(), cells.data(), scaled.data()}, sorted.data(),
                 place.data());
      EXPECT_EQ(place, expected) << kind << " " << size;
      for (std::size_t i = 0; i < size; ++i)
        ASSERT_EQ(sorted[i], draws[expected[i]]) << kind << " " << size << " " << i;
    }
  }
}

}  // namespace
