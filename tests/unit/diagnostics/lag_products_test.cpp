// Sums of products at many lags in one pass, as a device computes them, against sums one by one; those of indicators
// that have a word for each sequence, against the loop for any number of words.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "diagnostics/indicator_loops.hpp"
#include "diagnostics/sequence_loops.hpp"
#include "diagnostics/tile_loops.hpp"

namespace {

using namespace manychain::diagnostics;

constexpr std::size_t lags = 16, chains = 3;

TEST(LagProductsInRegisters, are_sums_of_products) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::mt19937_64 random(17);
  std::normal_distribution<double> normal;
  for (std::size_t length = 1; length < 90; ++length)
    for (const std::size_t first_lag : {1u, 17u, 33u, 5u, 90u}) {
      const SequenceLayout layout(chains, length, Parts::whole, 1, false);
      // Nobody reads what lies behind the draws.
      std::vector<double> x(layout.tiles_size() + 64 * chains, nan), products((lags + 1) * chains, nan);
      for (std::size_t i = 0; i < layout.tiles_size(); ++i) x[i] = normal(random);
      const LagProductsInRegisters<lags> at_lags{x.data(), products.data(), first_lag, layout};
      for (std::size_t s = 0; s < chains; ++s) at_lags(s);
      for (std::size_t k = 0; k < lags; ++k)
        for (std::size_t s = 0; s < chains; ++s) {
          double sum = 0, size = 0;
          for (std::size_t t = 0; t + first_lag + k < length; ++t) {
            const double product = x[t * chains + s] * x[(t + first_lag + k) * chains + s];
            sum += product;
            size += std::fabs(product);
          }
          // Either sum rounds at most 2 `length` times, each time by 2^-53 of no more than `size`.
          EXPECT_NEAR(products[k * chains + s], sum, 4 * static_cast<double>(length) * 0x1p-53 * size)
              << length << " draws, lag " << first_lag + k;
        }
      EXPECT_TRUE(std::isnan(products.back()));
    }
}

// To the bit. Lengths around that of a word, more sequences than are done abreast, lags up to the last.
TEST(IndicatorProducts, of_one_word_as_of_many) {
  std::mt19937_64 random(5);
  for (const std::size_t length : {8u, 9u, 20u, 63u, 64u, 65u})
    for (const std::size_t first_lag : {std::size_t(1), std::size_t(9), length - 1}) {
      const SequenceLayout layout(67, length, Parts::whole, tile_lanes, true);
      const std::size_t words = IndicatorBits::words_of(length), sequences = layout.sequences();
      std::vector<BitWord> marks(words * sequences, 0);
      const IndicatorBits bits{marks.data(), length, words, 1};
      for (std::size_t s = 0; s < sequences; ++s)
        for (std::size_t t = 0; t < length; ++t)
          if (random() % 4 == 0) bits.word(s, t / word_bits) |= BitWord{1} << t % word_bits;
      std::vector<double> mean(layout.padded), squares(layout.padded);
      for (std::size_t s = 0; s < sequences; ++s) IndicatorMoments{bits, mean.data(), squares.data()}(s);
      std::vector<double> expected(tile_lags * layout.padded, 0), products = expected;
      const IndicatorProducts<tile_lags> one_by_one{bits, mean.data(), expected.data(), first_lag, layout.padded};
      for (std::size_t s = 0; s < sequences; ++s) one_by_one(s);
      indicator_products(marks.data(), {67, length, 1}, mean.data(), first_lag, products.data());
      EXPECT_EQ(products, expected) << length << " draws, from lag " << first_lag;
    }
}

}  // namespace
