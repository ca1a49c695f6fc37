// Runs of few chains: what all chains together would see at once, they see one after the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "manychain/manychain.hpp"
#include "manychain/model.hpp"
#include "unit/run/mixtures_of_normals.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

/// A x ~ normal(0, 1).
template <class Number>
struct Rotated {
  Size<> d;
  Matrix<const Number> A;
  void data(DataReader& in) {
    in("d", d);
    in("A", A, d, d);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", d);
    target += normal(A * x, 0, 1);
  }
};

/// Standard deviations from 1 to 1e-3 along directions that are no axes: a diagonal times reflections.
Data rotated(std::size_t d) {
  std::vector<double> A(d * d, 0);
  for (std::size_t i = 0; i < d; ++i)
    A[i * d + i] = std::pow(10, 3 * static_cast<double>(i) / static_cast<double>(d - 1));
  std::mt19937 generator(1);
  std::normal_distribution<double> standard;
  for (std::size_t k = 0; k < d; ++k) {
    std::vector<double> v(d);
    double squares = 0;
    for (double& x : v) x = standard(generator), squares += x * x;
    for (std::size_t i = 0; i < d; ++i) {
      double along = 0;
      for (std::size_t j = 0; j < d; ++j) along += A[i * d + j] * v[j];
      for (std::size_t j = 0; j < d; ++j) A[i * d + j] -= 2 * along * v[j] / squares;
    }
  }
  Data data;
  data.set("d", d);
  data.set("A", A, {d, d});
  return data;
}

Settings few(std::size_t chains, std::size_t draws, std::uint64_t seed) {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = chains;
  s.sampling.draws = draws;
  s.seed = seed;
  return s;
}

// With 16 points of each chain in a window it was 25 to 81 effective draws, and 5058 to 9187 gradients (ten seeds of
// such a matrix); with as many points as 128 chains have, at least 12 214, and at most 1957.
TEST(FewChains, find_correlations) {
  const Model model = model_of<Rotated, "hmc">(rotated(26));
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Result result = sample(model, few(16, 300, seed));
    double least = HUGE_VAL;
    for (const SummaryRow& row : result.summary) least = std::min(least, row.statistics.ess_bulk);
    EXPECT_GT(least, 5000) << result.table();
    EXPECT_LT(result.gradients, 16 * 3000u);
  }
}

// A trial decides on masses that depend on position. Of eight chains with six transitions each it refused them from 3
// of these 40 seeds, and 31 runs converged; with 24 each from none, and 38 do.
TEST(FewChains, take_masses_that_depend_on_position) {
  const Model model = builtin_model("eight_schools_centered");
  int taken = 0, converged = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Result result = sample(model, few(8, 1000, seed));
    taken += result.warmup.tuning[0].leaves == 9;
    converged += result.converged;
  }
  EXPECT_GE(taken, 39);
  EXPECT_GE(converged, 36);
}

// With four chains 24 transitions each refuse them from one of 120 seeds, 47 with AVX-512, and four times as many from
// none. Of these runs 79 end where the trial does, and the others go on while chains travel: fewer than 14 of 40 do by
// chance once in 1e4.
TEST(FewChains, refuse_masses_that_depend_on_position_only_if_longer_trials_do) {
  const Model model = builtin_model("eight_schools_centered");
  int taken = 0, ended = 0;
  for (std::uint64_t seed = 11; seed <= 50; ++seed) {
    Settings s = few(4, 10, seed);
    const Result result = sample(model, s);
    taken += result.warmup.tuning[0].leaves == 9;
    ended += result.warmup.transitions <= 300 + 3 * 48;
    s.warmup.transitions = 300;
    if (seed <= 13) {
      EXPECT_EQ(sample(model, s).warmup.transitions, 300u) << seed;
    }
  }
  EXPECT_EQ(taken, 40);
  EXPECT_GE(ended, 14);
}

// Chains of two modes stay apart, whose split R-hat is then 3 or more; chains of one have arrived, and their draws are
// those of a warm-up of that length.
TEST(FewChains, warm_up_longer_while_chains_stay_apart) {
  const Model two = test::mixture_of({{0.5, 1, {8, 0, 0}}, {0.5, 1, {-8, 0, 0}}}),
              one = test::mixture_of({{1, 1, {0, 0, 0}}});
  Settings s = few(16, 20, 3);
  for (std::size_t c = 0; c < 16; ++c)
    for (int i = 0; i < 3; ++i) s.warmup.initial_points.push_back(i == 0 ? (c % 2 == 0 ? 8.0 : -8.0) : 0.1);
  s.warmup.end = WarmupEnd::arrived;
  s.warmup.transitions = 150;
  s.warmup.target_acceptance = 0.9;
  const Result apart = sample(two, s);
  // Its windows end with one of 66 transitions: 99, 148, 222 and 333 more.
  EXPECT_EQ(apart.warmup.transitions, 150u + 99 + 148 + 222 + 333);
  const Result together = sample(one, s);
  EXPECT_EQ(together.warmup.transitions, 150u);
  s.warmup.end = WarmupEnd::fixed;
  const Result fixed = sample(one, s);
  EXPECT_EQ(together.draws.float64, fixed.draws.float64);
  EXPECT_EQ(sample(two, s).warmup.transitions, 150u);
}

// The banana's ends are narrow: of 16 chains 6 % of the transitions of windows diverged, and 1 to 8 of 8000 in
// sampling.
TEST(FewChains, aim_for_a_higher_rate_where_windows_diverge) {
  Settings s = few(16, 20, 1);
  EXPECT_EQ(sample(builtin_model("banana"), s).settings.warmup.target_acceptance, 0.98);
  EXPECT_EQ(sample(builtin_model("normal"), s).settings.warmup.target_acceptance, 0.85);
  s.warmup.target_acceptance = 0.9;
  EXPECT_EQ(sample(builtin_model("banana"), s).settings.warmup.target_acceptance, 0.9);
  s.warmup.target_acceptance.reset();
  s.warmup.end = WarmupEnd::fixed;
  EXPECT_EQ(sample(builtin_model("banana"), s).settings.warmup.target_acceptance, 0.85);
}

}  // namespace
}  // namespace manychain
