// Superchains that differ by chance, told from those that remember where they started.
#include "diagnostics/chance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "unit/diagnostics/draws.hpp"

namespace {

using namespace manychain;
using diagnostics::largest_by_chance;
using diagnostics::superchains_to_chains;

/// Number of quantities, of 200, that differ more than by chance: `chains` chains of 20 draws of variance one, whose 16
/// superchains are shifted by normals of variance `start`.
int beyond_chance(std::size_t chains, double coefficient, double start) {
  int beyond = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    auto draws = test_draws::autoregressions<double>(20, 40, chains, coefficient, seed);
    std::mt19937_64 random(seed + 1000);
    std::normal_distribution<double> normal;
    for (std::size_t v = 0; v < 40; ++v)
      for (std::size_t k = 0; k < 16; ++k) {
        const double shift = std::sqrt(start) * normal(random);
        for (std::size_t t = 0; t < 20; ++t)
          for (std::size_t c = k; c < chains; c += 16) draws.at(t, v, c) += shift;
      }
    for (const VariableSummary& s : summarise(draws.view(), 1, 16))
      beyond += superchains_to_chains(s, chains, 16, 20) > largest_by_chance(16);
  }
  return beyond;
}

// The 0.999 quantiles of chi-squared of 15, 7 and 3 degrees of freedom are 37.70, 24.32 and 16.27.
TEST(Chance, quantiles) {
  EXPECT_NEAR(largest_by_chance(16), 37.70 / 15, 0.01 * 37.70 / 15);
  EXPECT_NEAR(largest_by_chance(8), 24.32 / 7, 0.01 * 24.32 / 7);
  EXPECT_NEAR(largest_by_chance(4), 16.27 / 3, 0.02 * 16.27 / 3);
}

// One in a thousand at most where halves are one and the same, with four chains in the denominator a few times as many:
// 4 of 200 come once in a thousand runs even at 3 in 1000.
TEST(Chance, explains_superchains_that_have_forgotten_their_starts) {
  for (const std::size_t chains : {64, 256})
    for (const double coefficient : {-0.8, 0.0, 0.5, 0.95})
      EXPECT_LE(beyond_chance(chains, coefficient, 0), 3) << chains << " " << coefficient;
}

// Means of halves of ten draws have a variance of 0.1, about 0.25 with a coefficient of 0.5. Starts of an sd of 0.5
// then add 10 times what chance leaves to superchains of four chains, 40 and 16 times with 16 chains: less than 0.2 of
// that is chi-squared of 15 degrees of freedom over 15 once in 3000 times, and three of 200 miss it in no run.
TEST(Chance, does_not_explain_those_that_have_not) {
  EXPECT_GE(beyond_chance(64, 0, 0.25), 197);
  EXPECT_GE(beyond_chance(256, 0, 0.25), 197);
  EXPECT_GE(beyond_chance(256, 0.5, 0.25), 197);
}

}  // namespace
