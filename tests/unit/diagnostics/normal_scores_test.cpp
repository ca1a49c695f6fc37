// The inverse normal distribution function and the ranks behind it.
#include "diagnostics/normal_scores.hpp"
#include "diagnostics/tile_loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "unit/diagnostics/reference.hpp"

namespace {

using namespace manychain::diagnostics;

TEST(NormalScores, inverse_of_the_distribution_function) {
  for (double S : {1.0, 2.0, 7.0, 1000.0, 4294967296.0, 1e12, 1e15}) {
    for (double fraction : {0.0, 1e-11, 1e-8, 1e-4, 0.01, 0.0747, 0.0753, 0.2, 0.4, 0.5}) {
      const double r2 = std::round(2 + fraction * 2 * (S - 1));
      const long double p = (r2 / 2.0L - 0.375L) / (S + 0.25L);
      const double expected = reference::inverse_phi(p);
      EXPECT_NEAR(normal_score(r2, S), expected, 4e-16 + 4e-15 * std::abs(expected)) << S << " " << r2;
      EXPECT_EQ(normal_score(2 * (S + 1) - r2, S), -normal_score(r2, S));
    }
  }
}

TEST(NormalScores, ties_share_their_average_rank) {
  // Runs of every length from 1 to 40, so that each way of finding their ends is taken.
  std::vector<double> sorted;
  std::vector<double> twice_rank;
  for (std::size_t length = 1; length <= 40; ++length) {
    const std::size_t first = sorted.size() + 1;
    for (std::size_t k = 0; k < length; ++k) {
      sorted.push_back(static_cast<double>(length));
      twice_rank.push_back(static_cast<double>(2 * first + length - 1));
    }
  }
  std::vector<std::uint32_t> place(sorted.size());
  for (std::size_t i = 0; i < place.size(); ++i) place[i] = static_cast<std::uint32_t>(place.size() - 1 - i);
  std::vector<double> scores(sorted.size());
  const WriteNormalScore<double, std::uint32_t> write{sorted.data(), place.data(), scores.data(), sorted.size()};
  for (std::size_t i = 0; i < sorted.size(); ++i) write(i);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    EXPECT_EQ(scores[place[i]], normal_score(twice_rank[i], static_cast<double>(sorted.size()))) << i;
  }
}

TEST(NormalScores, looked_up_as_computed) {
  for (const std::size_t size : {1, 2, 7, 8, 1001}) {
    std::vector<double> table;
    for (std::size_t less = 0; less < score_table_size(size); ++less) table.push_back(score_of_run(less, 1, size));
    for (std::size_t less = 0; less < size; ++less) {
      EXPECT_EQ(score_of_run(less, 1, size, table.data()), score_of_run(less, 1, size)) << less << " of " << size;
      EXPECT_EQ(score_of_run(less, 2, size + 2, table.data()), score_of_run(less, 2, size + 2));  // ties are computed
    }
  }
}

// The host merges in large blocks, without branches, and looks scores up; a device merges in small ones. Few and many
// ties, within a block and across several, all draws on one side but one, and sizes around those of blocks.
TEST(NormalScores, both_merges_of_folded_draws_agree) {
  constexpr std::size_t block = 2048;
  for (const std::size_t size : {std::size_t(2), std::size_t(300), block, 3 * block + 17}) {
    for (const double grid : {0.0, 1e-3, 0.5, 2.0}) {
      for (const double centre : {-40.0, -1.0, 0.0, 40.0}) {
        std::vector<float> sorted(size);
        std::uint32_t state = 1;
        for (float& x : sorted) {
          state = state * 1664525 + 1013904223;
          const double at = std::log(0.5 + (state >> 8)) - 15;
          x = static_cast<float>(grid > 0 ? grid * std::round(at / grid) : at);
        }
        std::sort(sorted.begin(), sorted.end());
        std::vector<std::uint32_t> place(size);
        for (std::size_t i = 0; i < size; ++i) place[i] = static_cast<std::uint32_t>(size - 1 - i);
        const double median = std::clamp<double>(centre, sorted.front(), sorted.back());
        const auto below =
            static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), median) - sorted.begin());
        const FoldedOrder<float> order{sorted.data(), size, below, Folded{median}};
        const std::size_t padded = (size + tile_lanes - 1) / tile_lanes * tile_lanes;
        std::vector<double> expected(padded, 0), scores(padded, -8), table, between(most_between(size));
        for (std::size_t i = 0; i < size; ++i) table.push_back(score_of_run(i, 1, size));
        const auto look_up = [&](std::size_t count, const std::vector<RankCode>& rank) {
          for (std::size_t k = 0; k < count; ++k) between[k] = normal_score(between[k], static_cast<double>(size));
          write_scores({rank.data(), table.data(), between.data(), size}, {size, 1, 1}, scores.data());
          EXPECT_EQ(scores, expected) << size << " " << grid << " " << centre;
        };
        std::vector<RankCode> rank(size);
        for (std::size_t i = 0; i < size; i += 16)
          WriteFoldedScores<float, std::uint32_t>{order, place.data(), expected.data(), 16}(i / 16);
        look_up(write_folded_ranks(sorted.data(), place.data(), size, below, median, rank.data(), between.data()),
                rank);
        for (std::size_t i = 0; i < size; ++i)
          WriteNormalScore<float, std::uint32_t>{sorted.data(), place.data(), expected.data(), size}(i);
        look_up(write_ranks(sorted.data(), place.data(), size, rank.data(), between.data()), rank);
      }
    }
  }
}

}  // namespace
