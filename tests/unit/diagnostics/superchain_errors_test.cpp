// Monte Carlo standard errors from superchains: right where starts are forgotten, and no smaller than what starts that
// are not leave behind.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "diagnostics/chance.hpp"
#include "diagnostics/from_draws.hpp"
#include "diagnostics/moment_findings.hpp"
#include "manychain/diagnostics/summary.hpp"
#include "unit/diagnostics/draws.hpp"

namespace {

using namespace manychain;
using diagnostics::add_from_draws;
using diagnostics::mean_of_chains;

TEST(SuperchainErrors, by_hand) {
  // Chains 0 and 2 are of one superchain, 1 and 3 of the other: between 2 (1.5^2 + 1.5^2) / 1 = 9, in all 10 / 3.
  EXPECT_NEAR(mean_of_chains({1, 4, 2, 5}, 2).variance, 9.0 / 4, 1e-14);
  // Within 2 (0.5^2 + 0.5^2) / 2.
  EXPECT_NEAR(mean_of_chains({1, 4, 2, 5}, 2).between_starts, 9 / 0.5, 1e-13);
  // Superchains agree: between is 0, in all 10 / 3.
  EXPECT_NEAR(mean_of_chains({1, 2, 5, 4}, 2).variance, 10.0 / 3 / 4, 1e-14);
  EXPECT_EQ(mean_of_chains({1, 2, 5, 4}, 2).between_starts, 0);
  // Unequal sizes: means 2 and 5 about 3, 2 * 1 + 1 * 4 = 6.
  EXPECT_NEAR(mean_of_chains({1, 5, 3}, 2).variance, 6.0 / 3, 1e-14);
  EXPECT_TRUE(std::isnan(mean_of_chains({1, 5}, 2).between_starts));
}

// Each superchain has chains of all groups, so that its mean is the same whatever the groups differ by. Groups that
// agree change nothing: nested R-hat of 8 groups of 64 chains is 1 + 1 / (2 * 64 * 20) or so.
TEST(GroupsOfChains, that_differ_are_seen) {
  for (const double shift : {0.0, 0.5, 6.0}) {
    auto draws = test_draws::autoregressions<double>(20, 1, 512, 0, 3);
    for (std::size_t t = 0; t < 20; ++t)
      for (std::size_t c = 0; c < 512; ++c) draws.at(t, 0, c) += shift * static_cast<double>(c / 64 % 2);
    const auto before = summarise(draws.view(), 1, 16);
    EXPECT_LT(before[0].rhat_nested, 1.01);
    auto after = before;
    add_from_draws(draws.view(), {&after[0]}, 16, 1, nullptr, 8);
    if (shift > 0)
      EXPECT_GT(after[0].rhat_nested, 1.02) << shift;
    else
      EXPECT_LT(after[0].rhat_nested, 1.003);
  }
}

/// 256 chains of 20 antithetic draws of variance one, whose 16 superchains are shifted by normals of variance `start`.
struct Short {
  double coefficient, start;

  test_draws::Draws<double> draws(unsigned seed, std::size_t variables) const {
    auto draws = test_draws::autoregressions<double>(20, variables, 256, coefficient, seed);
    std::mt19937_64 random(seed + 1000);
    std::normal_distribution<double> normal;
    for (std::size_t v = 0; v < variables; ++v) {
      for (std::size_t k = 0; k < 16; ++k) {
        const double shift = std::sqrt(start) * normal(random);
        for (std::size_t t = 0; t < 20; ++t)
          for (std::size_t c = k; c < 256; c += 16) draws.at(t, v, c) += shift;
      }
    }
    return draws;
  }
};

/// 800 means, which are 0: how many are off by more than `far` errors, the mean of z^2, and the same of errors that
/// superchains do not enter.
struct Coverage {
  int beyond = 0, beyond_without = 0;
  double square = 0;
};
Coverage coverage(const Short& chains, double far) {
  Coverage found;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto draws = chains.draws(seed, 40);
    auto summaries = summarise(draws.view(), 1, 16);
    std::vector<VariableSummary*> rows;
    for (VariableSummary& s : summaries) {
      found.beyond_without += std::fabs(s.mean / s.mcse_mean) > far;
      rows.push_back(&s);
    }
    add_from_draws(draws.view(), rows, 16, 1);
    for (const VariableSummary& s : summaries) {
      const double z = s.mean / s.mcse_mean;
      found.beyond += std::fabs(z) > far;
      found.square += z * z / 800;
    }
  }
  return found;
}

// max(B, T) is no smaller than T, so that z is no larger than Student's t of 255 degrees of freedom: beyond 3.5 with
// probability 5.5e-4, 4 or more of 800 once in a thousand times. B exceeds T in 45 % of all cases, which makes the
// square of the error larger by 14 %: z^2 has a mean of 0.90 and, from 800, an sd of 0.045.
TEST(SuperchainErrors, right_where_starts_are_forgotten) {
  for (const double coefficient : {-0.9, -0.5, 0.3}) {
    const Coverage found = coverage({coefficient, 0}, 3.5);
    EXPECT_LE(found.beyond, 3) << coefficient;
    EXPECT_NEAR(found.square, 0.90, 4 * 0.045) << coefficient;
  }
}

// A variance of starts of 0.01 is half of what nested R-hat below 1.01 leaves. z is no larger than t of 15 degrees of
// freedom: beyond 4 with probability 0.0012, 6 or more of 800 once in 2000 times. Without superchains every fourth mean
// is further off: its error is 0.3 of what it must be.
TEST(SuperchainErrors, no_smaller_than_what_starts_leave) {
  const Coverage found = coverage({-0.9, 0.01}, 4);
  EXPECT_LE(found.beyond, 5);
  EXPECT_GT(found.beyond_without, 80);
  EXPECT_LT(found.square, 15.0 / 13 * 1.3);
}

// sd of 1: the error of the sd against what 400 of them scatter by.
TEST(SuperchainErrors, of_the_sd) {
  double scatter = 0, claimed = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto draws = Short{-0.8, 0}.draws(seed, 40);
    auto summaries = summarise(draws.view(), 1, 16);
    std::vector<VariableSummary*> rows;
    for (VariableSummary& s : summaries) rows.push_back(&s);
    add_from_draws(draws.view(), rows, 16, 1);
    for (const VariableSummary& s : summaries) {
      scatter += (s.sd - 1) * (s.sd - 1) / 400;
      claimed += s.mcse_sd * s.mcse_sd / 400;
    }
  }
  // 400 squares: 7 %, and the bias of max(B, T).
  EXPECT_NEAR(scatter / claimed, 0.9, 0.3);
}

TEST(SuperchainErrors, nothing_without_superchains) {
  const auto draws = Short{-0.5, 0}.draws(1, 1);
  auto summaries = summarise(draws.view(), 1, 0);
  const double before = summaries[0].mcse_mean;
  add_from_draws(draws.view(), {&summaries[0]}, 0, 1);
  EXPECT_EQ(summaries[0].mcse_mean, before);
}

/// Numbers of quantities, of 800, whose sd is imprecise, whose superchains spread differently, and whose nested R-hat
/// is 1.01 or more.
struct Spread {
  int imprecise = 0, by_start = 0, apart = 0;
};
/// A superchain of 16 stays ten sds away for `away` of 20 draws.
Spread spread(std::size_t away) {
  Spread found;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    auto draws = Short{-0.5, 0}.draws(seed, 40);
    for (std::size_t v = 0; v < 40; ++v)
      for (std::size_t t = 0; t < away; ++t)
        for (std::size_t c = 3; c < 256; c += 16) draws.at(t, v, c) += 10;
    auto summaries = summarise(draws.view(), 1, 16);
    std::vector<VariableSummary*> rows;
    for (VariableSummary& s : summaries) rows.push_back(&s);
    add_from_draws(draws.view(), rows, 16, 1);
    for (const VariableSummary& s : summaries) {
      found.imprecise += s.mcse_sd / s.sd > diagnostics::largest_sd_error;
      found.by_start += s.sd_between_starts > diagnostics::largest_by_chance(16);
      found.apart += s.rhat_nested >= 1.01;
    }
  }
  return found;
}

// Starts that are forgotten: the limit of chance is exceeded once in a thousand times, 6 or more of 800 with
// probability 2e-4. The error of the sd is 1.1 % of it, and 4.5 times that does not occur.
TEST(SuperchainErrors, sds_are_precise_where_starts_are_forgotten) {
  const Spread found = spread(0);
  EXPECT_LE(found.by_start, 5);
  EXPECT_EQ(found.imprecise, 0);
}
// Six in a thousand draws that one start has left behind: nested R-hat sees ranks, and passes; the sd is 26 % too
// large.
TEST(SuperchainErrors, sds_are_not_precise_where_chains_of_one_start_come_back_late) {
  const Spread found = spread(1);
  EXPECT_LE(found.apart, 8);
  EXPECT_EQ(found.imprecise, 800);
  EXPECT_EQ(found.by_start, 800);
}

}  // namespace
