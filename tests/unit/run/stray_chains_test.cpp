// Chains that warm-up leaves behind are found, and restarted where the others are.
#include "run/stray_chains.hpp"

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
  s.starts = Starts::uniform;
  s.seed = 3;
  s.chains = 256;
  return s;
}

TEST(StrayChains, are_restarted_among_the_others) {
  const Result r = sample(two_wells(), settings());
  EXPECT_GE(r.restarted.chains, 16u);
  EXPECT_NEAR(r.restarted.largest_gap, 40, 10);
  EXPECT_TRUE(r.converged);
  for (std::size_t c = 0; c < r.draws.chains; ++c) EXPECT_LT(r.draws(0, 0, c), 0.5) << c;
}

// Nothing of it where nothing strays, nor after warm-up.
TEST(StrayChains, are_none_of_ordinary_models) {
  for (const char* model : {"normal", "eight_schools", "funnel", "banana", "logistic_regression"})
    EXPECT_EQ(sample(builtin_model(model), settings()).restarted.chains, 0u) << model;
}

TEST(StrayChains, stay_where_nothing_is_tuned) {
  Settings s = settings();
  s.step_size = 0.05;
  const Result r = sample(two_wells(), s);
  EXPECT_EQ(r.restarted.chains, 0u);
  EXPECT_FALSE(r.converged);
}

TEST(StrayChains, of_groups_are_those_of_runs) {
  Settings s = settings();
  s.draws = 5;
  s.warmup = 200;
  s.groups = 4;
  const Result together = sample(two_wells(), s);
  s.groups = 1;
  s.chains = 64;
  std::size_t restarted = 0;
  for (std::size_t g = 0; g < 4; ++g) {
    s.first_chain = 64 * g;
    const Result apart = sample(two_wells(), s);
    restarted += apart.restarted.chains;
    for (std::size_t c = 0; c < 64; ++c) EXPECT_EQ(together.draws(4, 0, 64 * g + c), apart.draws(4, 0, c));
  }
  EXPECT_GT(restarted, 0u);
  EXPECT_EQ(together.restarted.chains, restarted);
}

}  // namespace
