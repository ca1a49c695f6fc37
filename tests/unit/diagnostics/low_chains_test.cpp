// Chains at lower log densities than all others are told, and none of a posterior in one place.
#include "diagnostics/low_chains.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace manychain::diagnostics {
namespace {

enum class Shape { normal, cauchy, funnel };

/// Log densities of independent draws.
std::vector<double> log_densities(Shape shape, std::size_t chains, std::size_t dimension, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::cauchy_distribution<double> cauchy;
  std::vector<double> all;
  for (std::size_t c = 0; c < chains; ++c) {
    const double log_scale = shape == Shape::funnel ? 3 * normal(random) : 0;
    double sum = shape == Shape::funnel ? -log_scale * log_scale / 18 : 0;
    for (std::size_t i = 0; i < dimension; ++i) {
      const double z = shape == Shape::cauchy ? cauchy(random) : normal(random);
      sum -= shape == Shape::cauchy ? std::log1p(z * z) : 0.5 * z * z + log_scale;
    }
    all.push_back(sum);
  }
  return all;
}

// None of 1800 runs of each shape: at a rate of one in 600 that would happen once in twenty times.
TEST(LowChains, none_of_a_posterior_in_one_place) {
  std::mt19937_64 random(7);
  for (const Shape shape : {Shape::normal, Shape::cauchy, Shape::funnel})
    for (const std::size_t chains : {32, 64, 256})
      for (const std::size_t dimension : {1, 10, 100})
        for (int k = 0; k < 200; ++k)
          EXPECT_EQ(find_low_chains(log_densities(shape, chains, dimension, random), dimension).chains, 0u)
              << int(shape) << ", " << chains << " chains, " << dimension << " dimensions";
}

TEST(LowChains, below_a_gap) {
  std::mt19937_64 random(8);
  for (const std::size_t low : {6, 40, 200}) {
    std::vector<double> all = log_densities(Shape::normal, 256, 10, random);
    for (std::size_t c = 0; c < low; ++c) all[c] -= 60;
    const LowChains found = find_low_chains(all, 10);
    EXPECT_EQ(found.chains, low);
    EXPECT_GT(found.gap, 30);
    EXPECT_LT(found.gap, 65);
  }
}

TEST(LowChains, one_chain_or_a_few_others_do_not_count) {
  std::mt19937_64 random(9);
  for (const std::size_t low : {1, 4, 250}) {
    std::vector<double> all = log_densities(Shape::normal, 256, 10, random);
    for (std::size_t c = 0; c < low; ++c) all[c] -= 60;
    EXPECT_EQ(find_low_chains(all, 10).chains, 0u) << low;
  }
  std::vector<double> few(31, 0.0);
  for (std::size_t c = 0; c < 7; ++c) few[c] = -60;
  EXPECT_EQ(find_low_chains(few, 10).chains, 0u);
}

TEST(LowChains, what_is_not_finite_is_left_out) {
  std::vector<double> all(64, 0.0);
  for (std::size_t c = 0; c < 20; ++c) all[c] = c % 2 == 0 ? -std::numeric_limits<double>::infinity() : NAN;
  EXPECT_EQ(find_low_chains(all, 3).chains, 0u);
  for (std::size_t c = 20; c < 30; ++c) all[c] = -40;
  EXPECT_EQ(find_low_chains(all, 3).chains, 10u);
}

}  // namespace
}  // namespace manychain::diagnostics
