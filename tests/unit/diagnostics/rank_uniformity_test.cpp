// Tests of the uniformity of ranks: their level, their power, and sums that can be computed by hand.
#include "diagnostics/rank_uniformity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace manychain::diagnostics {
namespace {

using Ranks = std::vector<std::size_t>;

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

/// Ranks of a posterior that is `factor` times as wide as it should be, and too low by `shift` of its right sds.
Ranks ranks_of(std::size_t n, double shift, double factor, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  Ranks ranks(n);
  for (std::size_t& rank : ranks)
    rank = std::min<std::size_t>(255, static_cast<std::size_t>(256 * normal_cdf(normal(engine) / factor + shift)));
  return ranks;
}

// In 100 000 tests at 0.01 some 1000 are expected to alarm, with an sd of 32; at 0.001 100 with 10. The limits are six
// sds above. Bonferroni makes `p` the rarer, never the more frequent; chi-squared is an approximation.
TEST(RankUniformity, HasItsLevel) {
  for (const std::size_t n : {20u, 100u, 300u}) {
    const RankUniformity uniformity(n, 256);
    std::mt19937_64 engine(n);
    constexpr int tests = 100000;
    int shift[2] = {}, width[2] = {}, shape[2] = {}, all[2] = {};
    for (int k = 0; k < tests; ++k) {
      const RankTest test = uniformity(ranks_of(n, 0, 1, engine));
      for (int i = 0; i < 2; ++i) {
        const double level = i == 0 ? 0.01 : 0.001;
        shift[i] += test.p_shift <= level;
        width[i] += test.p_width <= level;
        shape[i] += test.p_shape <= level;
        all[i] += test.p <= level;
      }
    }
    for (const int* count : {shift, width, shape, all}) {
      EXPECT_LT(count[0], 1000 + 6 * 32) << n;
      EXPECT_LT(count[1], 100 + 6 * 10) << n;
    }
    EXPECT_GT(shift[0], 800) << n;  // exact, but for steps of the sums
    EXPECT_GT(width[0], 800) << n;
  }
}

// power() promises 0.95. Of 1000 tests 950 are expected at least; six sds of a binomial are 41.
TEST(RankUniformity, HasItsPower) {
  for (const std::size_t n : {50u, 100u, 400u}) {
    const double level = 1e-4;
    const RankUniformity uniformity(n, 256);
    const RankPower power = uniformity.power(level);
    EXPECT_GT(power.narrow, 0.4);
    EXPECT_LT(power.wide, 2.5);
    std::mt19937_64 engine(n);
    const auto found = [&](double shift, double factor) {
      int count = 0;
      for (int k = 0; k < 1000; ++k) count += uniformity(ranks_of(n, shift, factor, engine)).p <= level;
      return count;
    };
    EXPECT_GT(found(power.shift, 1), 909) << n;
    EXPECT_GT(found(-power.shift, 1), 909) << n;
    EXPECT_GT(found(0, power.narrow), 909) << n;
    EXPECT_GT(found(0, power.wide), 909) << n;
  }
}

TEST(RankUniformity, SaysWhichWay) {
  const RankUniformity uniformity(100, 256);
  std::mt19937_64 engine(1);
  const RankTest low = uniformity(ranks_of(100, 1, 1, engine));
  EXPECT_NEAR(low.shift, 1, 0.4);
  EXPECT_GT(low.mean_rank, 128 + 30);
  const RankTest narrow = uniformity(ranks_of(100, 0, 0.5, engine));
  EXPECT_LT(narrow.sd_factor, 0.75);
  EXPECT_LT(narrow.p_width, 1e-6);
  const RankTest wide = uniformity(ranks_of(100, 0, 2, engine));
  EXPECT_NEAR(wide.sd_factor, 2, 0.4);
  // Two peaks about the middle of each half: neither shifted nor of another width.
  Ranks peaks;
  for (std::size_t k = 0; k < 100; ++k) peaks.push_back(k % 2 ? 50 + k / 10 : 200 + k / 10);
  EXPECT_LT(uniformity(peaks).p_shape, 1e-6);
}

// All ranks the largest: that sum has the probability 256^-n, 2^-n if ranks of a half only were told apart.
TEST(RankUniformity, IsExactFarOut) {
  const RankUniformity uniformity(16, 256);
  const RankTest test = uniformity(Ranks(16, 255));
  EXPECT_LT(test.p_shift, 1e-30);
  EXPECT_GT(test.p_shift, 0);
  EXPECT_EQ(test.mean_rank, 255);
  EXPECT_THROW(uniformity(Ranks(15, 1)), std::logic_error);
  EXPECT_THROW(uniformity(Ranks(16, 256)), std::logic_error);
  EXPECT_THROW(RankUniformity(15, 256), std::logic_error);
  EXPECT_THROW(RankUniformity(16, 100), std::logic_error);
}

TEST(RankUniformity, HolmsProcedure) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  // 0.01 / 4, then 0.01 / 3, 0.01 / 2: the third is above, and ends it.
  EXPECT_EQ(significant({0.0032, 0.9, 0.002, 0.0051}, 0.01), (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(significant({0.004, 0.004}, 0.01), (std::vector<bool>{true, true}));
  EXPECT_EQ(significant({0.006, 0.004}, 0.01), (std::vector<bool>{true, true}));
  EXPECT_EQ(significant({0.006, 0.0051}, 0.01), (std::vector<bool>{false, false}));
  EXPECT_EQ(significant({0.5, nan}, 0.01), (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace manychain::diagnostics
