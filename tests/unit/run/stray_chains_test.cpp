// Chains that warm-up leaves behind are found, and restarted where the others are or freed by shorter steps.
#include "warmup/stray_chains.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "manychain/run/model.hpp"

namespace {

using namespace manychain;

/// Log densities of independent draws of a standard normal.
std::vector<double> of_normal(std::size_t dimension, std::size_t chains, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::chi_squared_distribution<double> squares(static_cast<double>(dimension));
  std::vector<double> values(chains);
  for (double& x : values) x = -0.5 * squares(random);
  return values;
}

// The limit lies 10 sqrt(dimension) below the median: of 200 million draws none is as far.
TEST(FindStray, none_of_a_normal) {
  for (const std::size_t dimension : {1, 2, 10, 100, 10000})
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      EXPECT_TRUE(find_stray(of_normal(dimension, 1000, seed), dimension).empty()) << dimension;
}

TEST(FindStray, those_far_below_up_to_half_of_all) {
  for (const std::size_t dimension : {1, 10, 100}) {
    std::vector<double> values = of_normal(dimension, 100, 7);
    for (std::size_t k = 0; k < 45; ++k) values[2 * k + 1] -= 25 * std::sqrt(dimension);
    const std::vector<std::size_t> stray = find_stray(values, dimension);
    ASSERT_EQ(stray.size(), 45u);
    for (std::size_t k = 0; k < 45; ++k) EXPECT_EQ(stray[k], 2 * k + 1);
  }
}

TEST(FindStray, what_is_not_finite) {
  std::vector<double> values = of_normal(3, 64, 7);
  values[5] = NAN;
  values[60] = -INFINITY;
  EXPECT_EQ(find_stray(values, 3), (std::vector<std::size_t>{5, 60}));
  EXPECT_TRUE(find_stray({0, 0, -1000}, 1).empty());  // too few to tell
}

/// Wells at -0.5 and, exp(-40) times as deep, at 1.5; a third of all uniform points lie in the second.
Model two_wells() {
  CompiledDensity wells;
  wells.dimension = 1;
  wells.value_and_gradient = [](const double* q, double* gradient) {
    const double x = *q - 0.5, w = x * x - 1, s = 1 / (1 + std::exp(-20 * x));
    *gradient = -80 * w * x - 800 * s * (1 - s);
    return -20 * w * w - 40 * s;
  };
  return Model(wells);
}

Settings settings() {
  Settings s;
  s.backend = Backend::cpu;
  s.warmup.starts = Starts::uniform;
  s.seed = 3;
  s.chains = 256;
  return s;
}

TEST(StrayChains, are_restarted_among_the_others) {
  const Result r = sample(two_wells(), settings());
  EXPECT_GE(r.warmup.restarted.chains, 16u);
  EXPECT_NEAR(r.warmup.restarted.largest_gap, 40, 10);
  EXPECT_TRUE(r.converged);
  for (std::size_t c = 0; c < r.draws.chains; ++c) EXPECT_LT(r.draws(0, 0, c), 0.5) << c;
}

// Nothing of it where nothing strays, nor after warm-up.
TEST(StrayChains, are_none_of_ordinary_models) {
  for (const char* model : {"normal", "eight_schools", "funnel", "banana", "logistic_regression"})
    EXPECT_EQ(sample(builtin_model(model), settings()).warmup.restarted.chains, 0u) << model;
}

TEST(StrayChains, stay_where_nothing_is_tuned) {
  Settings s = settings();
  s.sampling.step_size = 0.05;
  const Result r = sample(two_wells(), s);
  EXPECT_EQ(r.warmup.restarted.chains, 0u);
  EXPECT_FALSE(r.converged);
}

/// Counts of 20 groups whose rates hardly differ: y[j] ~ Poisson(exposure[j] exp(mu + tau z[j])), mu ~ normal(0, 3),
/// tau ~ half_normal(0, 1). Where tau is large z is bound by the counts, and steps that suit the others are too long.
Model alike_groups() {
  constexpr int groups = 20;
  CompiledDensity density;
  density.dimension = groups + 2;  // mu, log(tau), z
  density.value_and_gradient = [](const double* q, double* gradient) {
    const double mu = q[0], tau = std::exp(q[1]);
    double lp = -mu * mu / 18 - 0.5 * tau * tau + q[1];
    gradient[0] = -mu / 9;
    gradient[1] = 1 - tau * tau;
    for (int j = 0; j < groups; ++j) {
      const double exposure = 20 + 7 * ((11 * j) % groups), count = std::round(0.35 * exposure + (j % 3 - 1)),
                   z = q[j + 2];
      const double rate = exposure * std::exp(mu + tau * z), slope = count - rate;
      lp += count * (mu + tau * z) - rate - 0.5 * z * z;
      gradient[0] += slope;
      gradient[1] += slope * tau * z;
      gradient[j + 2] = slope * tau - z;
    }
    return lp;
  };
  return Model(density);
}

// Such chains neither stray, for the density is high there, nor do they ever move, but for shorter steps. Without these
// one to 21 chains of 256 are stuck for good with each of these seeds, and with 7 of the first 24; with them with one
// of the 24, seed 1.
TEST(StuckChains, go_on_by_shorter_steps) {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 256;
  for (const std::uint64_t seed : {2, 7, 9, 13}) {
    s.seed = seed;
    const Result r = sample(alike_groups(), s);
    EXPECT_TRUE(r.sampling.stuck_chains.empty()) << seed;
    EXPECT_TRUE(r.converged) << seed;
  }
}

TEST(StrayChains, of_groups_are_those_of_runs) {
  Settings s = settings();
  s.sampling.draws = 5;
  s.warmup.transitions = 200;
  s.groups = 4;
  const Result together = sample(two_wells(), s);
  s.groups = 1;
  s.chains = 64;
  std::size_t restarted = 0;
  for (std::size_t g = 0; g < 4; ++g) {
    s.first_chain = 64 * g;
    const Result apart = sample(two_wells(), s);
    restarted += apart.warmup.restarted.chains;
    for (std::size_t c = 0; c < 64; ++c) EXPECT_EQ(together.draws(4, 0, 64 * g + c), apart.draws(4, 0, c));
  }
  EXPECT_GT(restarted, 0u);
  EXPECT_EQ(together.warmup.restarted.chains, restarted);
}

}  // namespace
