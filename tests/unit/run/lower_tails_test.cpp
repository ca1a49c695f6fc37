// Scales whose lower tail draws miss: independent draws of hierarchies that are known exactly, whole and cut off.
#include "sampling/lower_tails.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace manychain {
namespace {

/// w ~ normal(0, 1), mu ~ normal(0, 1), 20 leaves with scale exp(0.5 w), and one datum of each with sd 1. The posterior
/// of simulated data is drawn from jointly with them, so that each draw is one of prior and data; only the gradient
/// needs the data of its chain.
constexpr std::size_t leaves = 20, dimension = 2 + leaves;
constexpr double slope = 0.5;

enum class Kind { groups, walk };

Layout layout(Kind kind) {
  Layout layout;
  layout.dimension = dimension;
  for (std::size_t i = 0; i < leaves; ++i) {
    const std::size_t location = kind == Kind::groups || i == 0 ? 1 : 1 + i;
    layout.dependent_scales.push_back({2 + i, {0}, {slope}, 0.0, {{location, 1.0}}});
  }
  return layout;
}

class Hierarchy {
 public:
  Hierarchy(Kind kind, std::uint64_t seed) : kind_(kind), random_(seed) {}

  /// A draw with w > lowest, and its gradient.
  void draw(double lowest, double* q, double* g) {
    do q[0] = normal_(random_);
    while (q[0] <= lowest);
    q[1] = normal_(random_);
    const double scale = std::exp(slope * q[0]);
    g[0] = -q[0], g[1] = -q[1];
    for (std::size_t i = 2; i < dimension; ++i) g[i] = 0;
    for (std::size_t i = 2; i < dimension; ++i) {
      const std::size_t location = kind_ == Kind::groups || i == 2 ? 1 : i - 1;
      const double z = normal_(random_);
      q[i] = q[location] + scale * z;
      g[0] += slope * (z * z - 1);
      g[i] -= z / scale;
      g[location] += z / scale;
      g[i] += normal_(random_);  // y - q[i]
    }
  }

 private:
  Kind kind_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

LowerTails tails_of(Kind kind, std::size_t chains, std::size_t draws, double lowest, std::uint64_t seed) {
  LowerTails tails(layout(kind), chains);
  Hierarchy hierarchy(kind, seed);
  std::vector<double> q(chains * dimension), g(q.size());
  for (std::size_t d = 0; d <= draws; ++d) {
    for (std::size_t c = 0; c < chains; ++c) hierarchy.draw(lowest, &q[c * dimension], &g[c * dimension]);
    if (d == 0)
      tails.begin(q);
    else
      tails.add(q, g);
  }
  return tails;
}

// 1000 right runs of each kind at a level of 1 %: 10 alarms expected. More than 24 have a chance of 3e-5; none, 4e-5.
TEST(LowerTails, ThatAreThereAreSeldomMissed) {
  for (const Kind kind : {Kind::groups, Kind::walk}) {
    int alarms = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed)
      alarms += !tails_of(kind, 64, 10, -INFINITY, seed).missed(0.01).empty();
    EXPECT_LE(alarms, 24);
    EXPECT_GE(alarms, 1);
  }
}

// Draws end where 5 % of the density lies below: found in each of 20 runs of 256 x 20 draws at a level of 1e-3.
TEST(LowerTails, ThatAreCutOffAreFound) {
  for (const Kind kind : {Kind::groups, Kind::walk})
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      EXPECT_EQ(tails_of(kind, 256, 20, -1.645, seed).missed(1e-3), (std::vector<std::size_t>{0})) << seed;
}

TEST(LowerTails, NeedChainsAndDraws) {
  EXPECT_TRUE(LowerTails(layout(Kind::groups), 31).empty());
  EXPECT_TRUE(std::isnan(tails_of(Kind::groups, 32, 1, -1.645, 1).test()[0].z));
  EXPECT_TRUE(tails_of(Kind::groups, 32, 1, -1.645, 1).missed(0.5).empty());
}

TEST(LowerTails, AreThoseOfScalesWithLeaves) {
  Layout of = layout(Kind::groups);
  for (DependentScale& leaf : of.dependent_scales) leaf.slopes = {0};
  EXPECT_TRUE(LowerTails(of, 64).empty());
  for (DependentScale& leaf : of.dependent_scales) leaf.slopes = {};
  EXPECT_TRUE(LowerTails(of, 64).empty());
  EXPECT_TRUE(LowerTails(Layout{}, 64).empty());
}

}  // namespace
}  // namespace manychain
