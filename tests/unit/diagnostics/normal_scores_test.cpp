// The inverse normal distribution function and the ranks behind it.
#include "diagnostics/normal_scores.hpp"

#include <gtest/gtest.h>

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

}  // namespace
