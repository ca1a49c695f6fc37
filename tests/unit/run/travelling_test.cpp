// The split R-hat of a window of warm-up.
#include "warmup/travelling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace {

using manychain::largest_split_rhat;

/// [observation][chain][component] f(observation, chain, component) beside standard normal noise.
template <class F>
std::vector<double> window(std::size_t observations, std::size_t chains, std::size_t components, const F& f) {
  std::mt19937 generator(1);
  std::normal_distribution<double> standard;
  std::vector<double> values;
  for (std::size_t k = 0; k < observations; ++k)
    for (std::size_t c = 0; c < chains; ++c)
      for (std::size_t i = 0; i < components; ++i) values.push_back(standard(generator) + f(k, c, i));
  return values;
}

TEST(Travelling, independent_draws_have_arrived) {
  const auto none = [](std::size_t, std::size_t, std::size_t) { return 0.0; };
  EXPECT_LT(largest_split_rhat(window(125, 16, 50, none), 16, 50), 1.03);
  EXPECT_EQ(largest_split_rhat(window(7, 16, 1, none), 16, 1), 1);  // halves of three say nothing
}

// One component of a chain apart by d has a variance of d^2 / 16 (1 - 1 / 16) between 16 chains.
TEST(Travelling, one_chain_apart_and_a_drift_of_all_show) {
  const auto apart = [](std::size_t, std::size_t c, std::size_t i) { return c == 3 && i == 2 ? 4.0 : 0.0; };
  EXPECT_NEAR(largest_split_rhat(window(400, 16, 5, apart), 16, 5), std::sqrt(2), 0.02);
  const auto drift = [](std::size_t k, std::size_t, std::size_t i) { return i == 4 && k >= 200 ? 2.0 : 0.0; };
  EXPECT_NEAR(largest_split_rhat(window(400, 16, 5, drift), 16, 5), std::sqrt(2), 0.02);
}

TEST(Travelling, far_from_zero_and_without_noise) {
  std::vector<double> values = window(200, 4, 1, [](std::size_t, std::size_t, std::size_t) { return 0.0; });
  const double near = largest_split_rhat(values, 4, 1);
  for (double& x : values) x += 1e9;
  EXPECT_NEAR(largest_split_rhat(values, 4, 1), near, 1e-6);
  EXPECT_EQ(largest_split_rhat(std::vector<double>(400, 3.0), 4, 1), 1);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = k % 4 == 0 ? 1 : 2;
  EXPECT_EQ(largest_split_rhat(values, 4, 1), std::numeric_limits<double>::infinity());
}

}  // namespace
