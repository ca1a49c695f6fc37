// Chains that stay in several places, told from those that hardly move and from those that agree.
#include "diagnostics/places.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

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

}  // namespace
