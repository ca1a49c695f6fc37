// Chains that stay in several places, told from those that hardly move and from those that agree.
#include "diagnostics/places.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>

namespace {

using namespace manychain::diagnostics;

/// Chain c starts where c mod `starts` does, and its mean lies near that of its start by a tenth of its sd.
template <class MeanOfStart>
std::vector<ChainMoments> chains(std::size_t count, std::size_t starts, double sd, const MeanOfStart& mean) {
  std::mt19937_64 random(20261123);
  std::normal_distribution<double> normal;
  std::vector<ChainMoments> all;
  for (std::size_t c = 0; c < count; ++c) all.push_back({mean(c % starts) + 0.1 * sd * normal(random), sd, c % starts});
  return all;
}

void expect_places(const std::vector<ChainMoments>& chains, std::vector<Place> expected) {
  const std::vector<Place> found = places_of(chains);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_NEAR(found[k].centre, expected[k].centre, 0.1);
    EXPECT_EQ(found[k].chains, expected[k].chains);
  }
}

TEST(Places, of_several_modes) {
  expect_places(chains(256, 16, 1, [](std::size_t s) { return s % 4 == 0 ? -4.0 : 4.0; }), {{-4, 64}, {4, 192}});
  expect_places(chains(256, 16, 1, [](std::size_t s) { return s == 5 ? 9.0 : 0.0; }), {{0, 240}, {9, 16}});
  expect_places(chains(90, 90, 1, [](std::size_t s) { return 10.0 * double(s % 3); }), {{0, 30}, {10, 30}, {20, 30}});
  expect_places(chains(4, 4, 1, [](std::size_t s) { return s < 2 ? 0.0 : 5.0; }), {{0, 2}, {5, 2}});
}

TEST(Places, are_none_where_chains_agree_or_do_not_move) {
  expect_places(chains(256, 16, 1, [](std::size_t) { return 3.0; }), {});
  expect_places(chains(256, 16, 1, [](std::size_t s) { return s % 2 == 0 ? -1.0 : 1.0; }), {});  // too near
  expect_places(chains(256, 16, 0.01, [](std::size_t s) { return double(s); }), {});             // each start a place
  expect_places(chains(256, 256, 1e-3, [](std::size_t s) { return std::sin(double(s)); }), {});

  expect_places(chains(256, 256, 1, [](std::size_t s) { return 20 * std::sin(double(s)); }), {});
  expect_places(chains(4, 4, 1, [](std::size_t s) { return s < 3 ? 0.0 : 5.0; }), {});
  expect_places(chains(16, 16, 1, [](std::size_t s) { return s == 7 ? NAN : double(s % 2) * 9; }), {});
  expect_places({}, {});
}

/// Draws of 64 chains of one variable, one draw an element, by a chain's own rule: next(x, normal, chain, draw).
template <class Next>
std::vector<manychain::Draws> draws_of(std::size_t count, std::uint64_t seed, const Next& next) {
  constexpr std::size_t chains = 64;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> x(chains);
  for (std::size_t c = 0; c < chains; ++c) x[c] = normal(random);
  std::vector<manychain::Draws> all;
  for (std::size_t d = 0; d < count; ++d) {
    manychain::Draws draw;
    draw.chains = chains, draw.variables = 1, draw.draws = 1;
    for (std::size_t c = 0; c < chains; ++c) draw.float64.push_back(x[c] = next(x[c], normal(random), c, d));
    all.push_back(std::move(draw));
  }
  return all;
}
bool stay_apart(const std::vector<manychain::Draws>& draws) {
  const DrawsToCompare some = some_of_halves(draws.size());
  std::vector<manychain::Draws> early, late;
  for (const std::size_t k : some.early) early.push_back(draws[k]);
  for (const std::size_t k : some.late) late.push_back(draws[k]);
  return manychain::diagnostics::stay_apart(early, late, 1, 0);
}

TEST(Chains, that_stay_in_two_modes) {
  const auto of_two_modes = [](double, double z, std::size_t c, std::size_t) { return z + (c % 4 == 0 ? -5 : 5); };
  EXPECT_TRUE(stay_apart(draws_of(320, 1, of_two_modes)));
  const auto and_one_that_changes = [&](double x, double z, std::size_t c, std::size_t d) {
    return of_two_modes(x, z, c == 17 && d > 200 ? 16 : c, d);
  };
  EXPECT_FALSE(stay_apart(draws_of(320, 1, and_one_that_changes)));
}

// Slow chains of one mode, with autocorrelation times of 20 to 2000 draws: none of 200 sets of chains is taken for
// several modes, so that such an alarm has a rate below 1.5 % with 95 % confidence.
TEST(Chains, that_are_slow_do_not_stay_apart) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const double memory = 1 - 0.1 * std::pow(10, -0.5 * static_cast<double>(seed % 5));
    const auto slow = [=](double x, double z, std::size_t, std::size_t) {
      return memory * x + std::sqrt(1 - memory * memory) * z;
    };
    EXPECT_FALSE(stay_apart(draws_of(320, seed, slow))) << memory;
  }
}

TEST(Chains, that_did_not_change_in_so_many_draws_change_too_rarely) {
  EXPECT_TRUE(changes_too_rarely(320, 10000, 400));
  EXPECT_FALSE(changes_too_rarely(160, 10000, 400));  // too few to tell
  EXPECT_FALSE(changes_too_rarely(320, 10000, 50));   // fewer than 94 changes in 10000 draws may be enough
  EXPECT_TRUE(changes_too_rarely(1280, 10000, 50));
}

}  // namespace
