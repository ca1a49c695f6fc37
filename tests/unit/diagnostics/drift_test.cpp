// The first draws of all chains against later ones: false alarms, power, and what is compared.
#include "diagnostics/drift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

namespace {

using namespace manychain;
using namespace manychain::diagnostics;

constexpr std::size_t chains = 256, superchains = 16;

/// The drifts of a run: `next(chain, draw, random)` gives the draws of a variable in their order.
template <class Next>
std::vector<double> drifts_of(std::size_t draws, std::size_t variables, std::uint64_t seed, double level,
                              const Next& next) {
  std::mt19937_64 random(seed);
  const DrawsToCompare compared = draws_to_compare(draws);
  std::vector<Draws> all(draws);
  for (Draws& draw : all) {
    draw.draws = 1;
    draw.variables = variables;
    draw.chains = chains;
    draw.float64.resize(variables * chains);
  }
  for (std::size_t v = 0; v < variables; ++v)
    for (std::size_t c = 0; c < chains; ++c)
      for (std::size_t k = 0; k < draws; ++k) all[k].float64[v * chains + c] = next(c, k, random);
  std::vector<Draws> early, late;
  for (const std::size_t k : compared.early) early.push_back(all[k]);
  for (const std::size_t k : compared.late) late.push_back(all[k]);
  return drifts(early, late, variables, superchains, level);
}

bool any(const std::vector<double>& drifts) {
  for (const double drift : drifts)
    if (drift > 0) return true;
  return false;
}

TEST(Drift, compares_some_of_the_first_tenth_with_some_of_the_second_half) {
  EXPECT_EQ(draws_to_compare(20).early, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(draws_to_compare(20).late, (std::vector<std::size_t>{12, 17}));
  for (const std::size_t draws : {10, 23, 160, 1601}) {
    const DrawsToCompare compared = draws_to_compare(draws);
    ASSERT_EQ(compared.early.size(), compared.late.size());
    EXPECT_EQ(compared.early.front(), 0u);
    EXPECT_LT(compared.early.back(), draws / 10);
    EXPECT_GE(compared.late.front(), draws / 2);
    EXPECT_LT(compared.late.back(), draws);
  }
  EXPECT_TRUE(draws_to_compare(9).early.empty());
  EXPECT_TRUE(drifts({}, {}, 3, superchains, 0.01).empty());
}

// 300 runs of two variables at a level of 0.05: chance exceeds 30 alarms once in 10 000 times. A third of the runs has
// skewed variables, a third heavy tails.
TEST(Drift, is_seldom_seen_where_there_is_none) {
  int alarms = 0;
  for (std::uint64_t run = 0; run < 300; ++run) {
    std::vector<double> last(chains);
    alarms += any(drifts_of(40, 2, 1000 + run, 0.05, [&](std::size_t c, std::size_t k, std::mt19937_64& random) {
      const double z = std::normal_distribution<double>()(random);
      last[c] = k == 0 ? z : 0.7 * last[c] + std::sqrt(1 - 0.49) * z;
      return run % 3 == 0 ? last[c] : run % 3 == 1 ? std::exp(1.5 * last[c]) : std::pow(last[c], 5);
    }));
  }
  EXPECT_LE(alarms, 30);
}

// Two modes that chains leave with chances of 0.03 and 0.001: 80 % of the chains are in the second one at first, where
// 97 % belong. Means of 320 draws are five of their errors away.
TEST(Drift, is_seen_where_chains_go_over_to_another_mode) {
  for (std::uint64_t run = 0; run < 20; ++run) {
    std::vector<bool> there(chains);
    const std::vector<double> found =
        drifts_of(320, 1, run, level_of_drift, [&](std::size_t c, std::size_t k, std::mt19937_64& random) {
          const double u = std::uniform_real_distribution<double>()(random);
          there[c] = k == 0 ? u < 0.8 : there[c] ? u > 0.001 : u < 0.03;
          return std::normal_distribution<double>(there[c] ? 4.6 : 0)(random);
        });
    EXPECT_TRUE(any(found)) << run;
  }
}

// A narrow mode at the centre of a wide one: the mean stays, and distances from it fall.
TEST(Drift, of_a_width_is_seen) {
  const auto width = [](std::size_t, std::size_t k, std::mt19937_64& random) {
    return std::normal_distribution<double>(0, k < 32 ? 1.3 : 1)(random);
  };
  EXPECT_TRUE(any(drifts_of(320, 1, 1, level_of_drift, width)));
}

// Draws that are the same for all of a superchain, which has one start, move together. Their chains are no evidence.
TEST(Drift, of_few_starts_that_differ_is_none) {
  int alarms = 0;
  for (std::uint64_t run = 0; run < 100; ++run) {
    std::vector<double> early(superchains), late(superchains);
    alarms += any(drifts_of(20, 1, run, 0.01, [&](std::size_t c, std::size_t k, std::mt19937_64& random) {
      std::normal_distribution<double> normal;
      double& of_start = (k < 2 ? early : late)[c % superchains];
      if (c < superchains && (k == 0 || k == 2)) of_start = normal(random);
      return of_start + 0.3 * normal(random);
    }));
  }
  EXPECT_LE(alarms, 12);  // Student's t of 15 degrees of freedom exceeds the limit of either form in 1.3 % of runs
}

TEST(Drift, of_constants_and_of_what_is_not_finite_is_none) {
  EXPECT_FALSE(any(drifts_of(20, 1, 1, 0.01, [](std::size_t, std::size_t, std::mt19937_64&) { return 3.0; })));
  EXPECT_FALSE(any(drifts_of(20, 1, 1, 0.01, [](std::size_t, std::size_t k, std::mt19937_64&) {
    return k == 0 ? NAN : static_cast<double>(k);
  })));
}

}  // namespace
