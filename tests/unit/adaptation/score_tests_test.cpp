// Hypers and leaves are found from scores that depend on them, and none where no score does.
#include "adaptation/score_tests.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace manychain {
namespace {

constexpr std::size_t n = 2048;

/// Points with normal components, sd 1.5 and a mean of 1; gradients with sd `deviation(i, q)`.
struct Drawn {
  std::size_t d;
  std::vector<double> points, gradients;
  std::vector<bool> moved = std::vector<bool>(d, true);

  template <class Deviation>
  Drawn(std::size_t dimension, std::size_t count, const Deviation& deviation) : d(dimension) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<double> q(d);
      for (double& x : q) x = 1 + 1.5 * normal(random);
      points.insert(points.end(), q.begin(), q.end());
      for (std::size_t i = 0; i < d; ++i) gradients.push_back(deviation(i, q) * normal(random));
    }
  }
  ScoredScales find() const { return scales_from_scores(points, gradients, moved); }
};

std::vector<std::size_t> leaves_of(const ScoredScales& found) {
  std::vector<std::size_t> components;
  for (const DependentScale& leaf : found.leaves) components.push_back(leaf.component);
  return components;
}

TEST(ScoreTests, find_the_hyper_of_some) {
  const Drawn drawn(8, n,
                    [](std::size_t i, const std::vector<double>& q) { return i >= 4 ? 3 * std::exp(-q[1]) : 2.0; });
  const ScoredScales found = drawn.find();
  EXPECT_EQ(leaves_of(found), (std::vector<std::size_t>{4, 5, 6, 7}));
  for (std::size_t l = 0; l < found.leaves.size(); ++l) {
    EXPECT_EQ(found.leaves[l].hypers, (std::vector<std::size_t>{1}));
    EXPECT_LT(found.slopes[l][0], 0);  // masses fall where the scale rises
  }
}

// Leaves 4 to 7 depend on 0 and on 1, 2 and 3 on 1 alone.
TEST(ScoreTests, find_two_hypers_of_a_leaf) {
  const Drawn drawn(8, n, [](std::size_t i, const std::vector<double>& q) {
    return i >= 4 ? std::exp(-q[0] - 0.7 * q[1]) : i >= 2 ? std::exp(0.8 * q[1]) : 1.0;
  });
  const ScoredScales found = drawn.find();
  ASSERT_EQ(leaves_of(found), (std::vector<std::size_t>{2, 3, 4, 5, 6, 7}));
  for (std::size_t l = 0; l < found.leaves.size(); ++l)
    EXPECT_EQ(found.leaves[l].hypers, l < 2 ? std::vector<std::size_t>{1} : (std::vector<std::size_t>{0, 1})) << l;
  EXPECT_GT(found.slopes[0][0], 0);
}

// Squares of normal scores: of 100 components none is taken for a hyper.
TEST(ScoreTests, find_none_where_scores_depend_on_nothing) {
  const Drawn drawn(100, n, [](std::size_t i, const std::vector<double>&) { return 1.0 + static_cast<double>(i); });
  EXPECT_TRUE(drawn.find().leaves.empty());
}

TEST(ScoreTests, leave_out_what_is_not_moved) {
  Drawn drawn(8, n, [](std::size_t i, const std::vector<double>& q) { return i >= 4 ? std::exp(-q[1]) : 1.0; });
  drawn.moved[5] = false;
  EXPECT_EQ(leaves_of(drawn.find()), (std::vector<std::size_t>{4, 6, 7}));
  drawn.moved[1] = false;
  EXPECT_TRUE(drawn.find().leaves.empty());
}

TEST(ScoreTests, are_not_misled_by_chains_far_off) {
  Drawn drawn(8, n, [](std::size_t i, const std::vector<double>& q) { return i >= 4 ? std::exp(-q[1]) : 1.0; });
  for (std::size_t k = 0; k < n; k += 200)
    for (std::size_t i = 0; i < 8; ++i) drawn.gradients[k * 8 + i] *= 1e5;
  EXPECT_EQ(leaves_of(drawn.find()), (std::vector<std::size_t>{4, 5, 6, 7}));
}

TEST(ScoreTests, say_nothing_of_few_points_and_of_many_components) {
  const auto funnel = [](std::size_t i, const std::vector<double>& q) { return i > 0 ? std::exp(-q[0]) : 1.0; };
  EXPECT_TRUE(Drawn(4, 250, funnel).find().leaves.empty());
  EXPECT_TRUE(Drawn(2000, 300, funnel).find().leaves.empty());
  EXPECT_FALSE(Drawn(500, 2048, funnel).find().leaves.empty());
}

TEST(ScoreTests, take_no_number_that_is_not_finite) {
  Drawn drawn(8, n, [](std::size_t i, const std::vector<double>& q) { return i >= 4 ? std::exp(-q[1]) : 1.0; });
  drawn.gradients[2] = NAN;
  for (std::size_t k = 0; k < n; ++k) drawn.points[k * 8 + 3] = 7;
  EXPECT_EQ(leaves_of(drawn.find()), (std::vector<std::size_t>{4, 5, 6, 7}));
}

}  // namespace
}  // namespace manychain
