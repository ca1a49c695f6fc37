// Necks that draws miss: independent draws of hierarchies that are known exactly, whole and cut off.
#include "sampling/necks.hpp"

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

/// In `precisions` scales fall with w. Of `data` the leaves are normal(mu, 1) and the data have scale exp(0.5 w); what
/// is sampled is the leaf less its datum, whose location is zero.
enum class Kind { groups, walk, precisions, data };
constexpr Kind kinds[] = {Kind::groups, Kind::walk, Kind::precisions, Kind::data};

Layout layout(Kind kind) {
  Layout layout;
  layout.dimension = dimension;
  for (std::size_t i = 0; i < leaves; ++i) {
    const std::size_t location = kind == Kind::walk && i > 0 ? 1 + i : 1;
    const double b = kind == Kind::precisions ? -slope : slope;
    layout.dependent_scales.push_back({2 + i, {0}, {b}, true, 0.0, {{location, 1.0}}});
    if (kind == Kind::data) layout.dependent_scales.back() = {2 + i, {0}, {b}, true, 0.0, {}, true};
  }
  return layout;
}

class Hierarchy {
 public:
  Hierarchy(Kind kind, std::uint64_t seed) : kind_(kind), random_(seed) {}

  /// A draw whose scale has a logarithm above slope * lowest, and its gradient.
  void draw(double lowest, double* q, double* g) {
    do q[0] = normal_(random_);
    while (q[0] <= lowest);
    q[1] = normal_(random_);
    const double scale = std::exp(slope * q[0]);
    g[0] = -q[0], g[1] = -q[1];
    for (std::size_t i = 2; i < dimension; ++i) g[i] = 0;
    for (std::size_t i = 2; i < dimension; ++i) {
      const std::size_t location = kind_ == Kind::walk && i > 2 ? i - 1 : 1;
      const double z = normal_(random_);
      if (kind_ == Kind::data) {
        const double from_mu = normal_(random_);  // mu + from_mu is the leaf, and that less scale * z its datum
        q[i] = scale * z;
        g[0] += slope * (z * z - 1);
        g[i] = -z / scale - from_mu;
        g[1] += from_mu;
        continue;
      }
      q[i] = q[location] + scale * z;
      g[0] += slope * (z * z - 1);
      g[i] -= z / scale;
      g[location] += z / scale;
      g[i] += normal_(random_);  // y - q[i]
    }
    if (kind_ == Kind::precisions) q[0] = -q[0], g[0] = -g[0];
  }

 private:
  Kind kind_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

Necks necks_of(Kind kind, std::size_t chains, std::size_t draws, double lowest, std::uint64_t seed) {
  Necks necks(layout(kind), chains);
  Hierarchy hierarchy(kind, seed);
  std::vector<double> q(chains * dimension), g(q.size());
  for (std::size_t d = 0; d <= draws; ++d) {
    for (std::size_t c = 0; c < chains; ++c) hierarchy.draw(lowest, &q[c * dimension], &g[c * dimension]);
    if (d == 0)
      necks.begin(q);
    else
      necks.add(q, g);
  }
  return necks;
}

// 1000 right runs of each kind at a level of 1 %: 10 alarms expected. More than 24 have a chance of 4e-5; none, 4e-5.
TEST(Necks, ThatAreThereAreSeldomMissed) {
  for (const Kind kind : kinds) {
    int alarms = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed)
      alarms += !necks_of(kind, 64, 10, -INFINITY, seed).missed(0.01).empty();
    EXPECT_LE(alarms, 24);
    EXPECT_GE(alarms, 1);
  }
}

// Draws end where 5 % of the density lies below: found in each of 20 runs of 256 x 20 draws at a level of 1e-3.
TEST(Necks, ThatAreCutOffAreFound) {
  for (const Kind kind : kinds)
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      EXPECT_EQ(necks_of(kind, 256, 20, -1.645, seed).missed(1e-3), (std::vector<std::size_t>{0})) << seed;
}

// A datum draws its level closer than what else its scale is in.
TEST(Necks, OfDataTakeTheirLevels) {
  Layout both = layout(Kind::data);
  both.dependent_scales.clear();
  for (const DependentScale& leaf : layout(Kind::data).dependent_scales) {
    both.dependent_scales.push_back({leaf.component, {0}, {slope}, true, 3.0});
    both.dependent_scales.push_back(leaf);
  }
  Hierarchy hierarchy(Kind::data, 1);
  Necks one(layout(Kind::data), 64), other(both, 64);
  std::vector<double> q(64 * dimension), g(q.size());
  for (int d = 0; d < 3; ++d) {
    for (std::size_t c = 0; c < 64; ++c) hierarchy.draw(-INFINITY, &q[c * dimension], &g[c * dimension]);
    for (Necks* const necks : {&one, &other}) d == 0 ? necks->begin(q) : necks->add(q, g);
  }
  EXPECT_EQ(one.test()[0].z, other.test()[0].z);
}

TEST(Necks, NeedChainsAndDraws) {
  EXPECT_TRUE(Necks(layout(Kind::groups), 31).empty());
  EXPECT_TRUE(std::isnan(necks_of(Kind::groups, 32, 1, -1.645, 1).test()[0].z));
  EXPECT_TRUE(necks_of(Kind::groups, 32, 1, -1.645, 1).missed(0.5).empty());
}

TEST(Necks, AreThoseOfScalesWithLeaves) {
  Layout of = layout(Kind::groups);
  for (DependentScale& leaf : of.dependent_scales) leaf.slopes = {0};
  EXPECT_TRUE(Necks(of, 64).empty());
  for (DependentScale& leaf : of.dependent_scales) leaf.slopes = {};
  EXPECT_TRUE(Necks(of, 64).empty());
  EXPECT_TRUE(Necks(Layout{}, 64).empty());
}

}  // namespace
}  // namespace manychain
