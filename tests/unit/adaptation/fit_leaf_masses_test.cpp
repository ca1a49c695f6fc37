// Masses that depend on position are found again from scores that have them.
#include "adaptation/fit_leaf_masses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace manychain {
namespace {

constexpr std::size_t n = 4096;

/// Hypers 0 and 1 with sd 1.5 and 1; leaf 2 of hyper 0, leaf 3 of both, leaf 4 of leaf 2; component 5 of none.
struct Drawn {
  std::vector<double> points, gradients;
  std::vector<DependentScale> leaves = {{2, {0}}, {3, {0, 1}}, {4, {2}}};
  Metric metric{std::vector<double>(6, 1.0), {}, {}};

  static double mass2(double w) { return 0.5 + std::exp(1 - 2 * w); }
  static double mass3(double w, double u) { return 30 * (0.01 + std::exp(-2 * w - 1.5 * u)); }
  static double mass4(double w) { return 1 + std::exp(-w); }

  Drawn() {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    for (std::size_t k = 0; k < n; ++k) {
      const double w = 0.5 + 1.5 * normal(random), u = -1 + normal(random), y = normal(random);
      points.insert(points.end(), {w, u, y, normal(random), normal(random), normal(random)});
      gradients.insert(gradients.end(),
                       {2 * normal(random), 3 * normal(random), std::sqrt(mass2(w)) * normal(random),
                        std::sqrt(mass3(w, u)) * normal(random), std::sqrt(mass4(y)) * normal(random), normal(random)});
    }
  }
  void fit() { fit_leaf_masses(leaves, points, gradients, metric); }
  /// In the unit of the gradients.
  double mass(std::size_t component, const std::vector<double>& q) const {
    const LeafMasses& m = metric.leaves;
    for (std::size_t l = 0; l < m.count(); ++l) {
      if (m.component[l] != static_cast<std::int32_t>(component)) continue;
      double exponent = m.intercept[l];
      for (std::int32_t e = m.first[l]; e < m.first[l + 1]; ++e)
        exponent +=
            m.exponent[static_cast<std::size_t>(e)] * q[static_cast<std::size_t>(m.hyper[static_cast<std::size_t>(e)])];
      return (m.constant[l] + std::exp(exponent)) / (metric.scale[component] * metric.scale[component]);
    }
    return 0;
  }
};

// 4096 scores tell a log mass to 0.05 or so near the middle, and to 0.2 two sd from it.
TEST(FitLeafMasses, FindsThem) {
  Drawn drawn;
  drawn.fit();
  ASSERT_EQ(drawn.metric.leaves.count(), 3u);
  for (const double w : {-2.0, 0.5, 3.0}) {
    EXPECT_NEAR(std::log(drawn.mass(2, {w, 0, 0, 0, 0, 0}) / Drawn::mass2(w)), 0, 0.2) << w;
    for (const double u : {-2.5, -1.0, 0.5})
      EXPECT_NEAR(std::log(drawn.mass(3, {w, u, 0, 0, 0, 0}) / Drawn::mass3(w, u)), 0, 0.25) << w << ' ' << u;
  }
  for (const double y : {-1.5, 0.0, 1.5})
    EXPECT_NEAR(std::log(drawn.mass(4, {0, 0, y, 0, 0, 0}) / Drawn::mass4(y)), 0, 0.2) << y;
  // A hyper that is no leaf has the variance of its score; what depends on nothing is left.
  EXPECT_NEAR(drawn.metric.scale[0], 0.5, 0.02);
  EXPECT_NEAR(drawn.metric.scale[1], 1 / 3.0, 0.02);
  EXPECT_EQ(drawn.metric.scale[5], 1);
  // 1.5 / 0.5 squared, and 1 / (1 / 3) squared.
  EXPECT_NEAR(widest_of_hypers(drawn.metric, drawn.points), 9, 0.7);
}

// A leaf of scale exp(w) is narrower by exp(2.33 sd of w) at one point of a hundred than at half of them. The quantile
// of 2048 points has a standard error of 0.08 in the logarithm, at an sd of one.
TEST(FitLeafMasses, SaysHowNarrowANeckIs) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  const auto of = [&](double sd) {
    std::vector<double> points;
    for (int n = 0; n < 4096; ++n) points.insert(points.end(), {sd * normal(random), normal(random), 0});
    return points;
  };
  Metric metric{{1, 1, 1}, {}, {}};
  EXPECT_EQ(narrowing(metric, {1, 1, 1}, of(1)), 1);
  metric.leaves = {{1}, {0}, {0}, {0}, {0, 1}, {1}, {0}, {-2}};
  EXPECT_NEAR(std::log(narrowing(metric, {1, 1, 1}, of(1))), 2.33, 0.35);
  EXPECT_NEAR(std::log(narrowing(metric, {1, 1, 1}, of(0.2))), 0.2 * 2.33, 0.07);
  // The leaf counts that is the narrower of two in units of the constant metric.
  metric.leaves = {{1, 2}, {0, 1}, {0, -80}, {0, 0}, {0, 1, 2}, {1, 2}, {0, 0}, {-2, -2}};
  EXPECT_NEAR(std::log(narrowing(metric, {1, 1e-3, 1}, of(1))), 0, 0.01);
  EXPECT_NEAR(std::log(narrowing(metric, {1, 1, 1}, of(1))), 2.33, 0.35);
  // Both exponentials of a leaf count.
  metric.leaves = {{1}, {0}, {-80}, {0}, {0, 2}, {1}, {0, 0}, {0, -2}};
  EXPECT_NEAR(std::log(narrowing(metric, {1, 1, 1}, of(1))), 2.33, 0.35);
}

TEST(FitLeafMasses, PutsDeeperLevelsFirst) {
  Drawn drawn;
  drawn.fit();
  EXPECT_EQ(drawn.metric.leaves.component, (std::vector<std::int32_t>{4, 2, 3}));
  EXPECT_EQ(drawn.metric.leaves.first, (std::vector<std::int32_t>{0, 1, 2, 4}));
  EXPECT_EQ(drawn.metric.leaves.hyper, (std::vector<std::int32_t>{2, 0, 0, 1}));
}

// The precision of a level between its neighbours and its datum, of scales e^t and e^s: 2 e^(-2 t) + e^(-2 s). One is
// small where the other is not.
TEST(FitLeafMasses, FindsASumOfTwo) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  const auto mass = [](double t, double s) { return 2 * std::exp(-2 * t) + std::exp(-2 * s); };
  std::vector<double> points, gradients;
  for (int n = 0; n < 4096; ++n) {
    const double t = normal(random), s = 0.3 + normal(random);
    points.insert(points.end(), {t, s, 0});
    gradients.insert(gradients.end(), {normal(random), normal(random), std::sqrt(mass(t, s)) * normal(random)});
  }
  DependentScale by_data{2, {1}};
  by_data.by_data = true;
  Metric metric{{1, 1, 1}, {}, {}};
  fit_leaf_masses({{2, {0}}, by_data}, points, gradients, metric);
  const LeafMasses& m = metric.leaves;
  ASSERT_EQ(m.count(), 1u);
  EXPECT_EQ(m.hyper, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(m.second, (std::vector<std::int32_t>{1}));
  EXPECT_EQ(m.first, (std::vector<std::int32_t>{0, 2}));
  for (const double t : {-2.0, 0.0, 2.0})
    for (const double s : {-2.0, 0.3, 2.0}) {
      const double found = (m.constant[0] + std::exp(m.intercept[0] + m.exponent[0] * t) +
                            std::exp(m.second_intercept[0] + m.exponent[1] * s)) /
                           (metric.scale[2] * metric.scale[2]);
      EXPECT_NEAR(std::log(found / mass(t, s)), 0, 0.3) << t << ' ' << s;
    }
  // The scale of data alone is the first exponential, and one that hardly varies is none.
  fit_leaf_masses({by_data}, points, gradients, metric);
  EXPECT_EQ(metric.leaves.hyper, (std::vector<std::int32_t>{1}));
  EXPECT_EQ(metric.leaves.second, (std::vector<std::int32_t>{1}));
  for (std::size_t n = 0; n < points.size(); n += 3) points[n] *= 0.01;
  fit_leaf_masses({{2, {0}}, by_data}, points, gradients, metric);
  EXPECT_EQ(metric.leaves.hyper, (std::vector<std::int32_t>{1}));
}

// The precision of a factor that items of scales e^w0, e^w1, e^w2 measure: 1 + the sum of e^(-2 w). The one whose scale
// hardly varies is part of the constant. One exponential of all hypers is wrong by up to 4 in the logarithm.
TEST(FitLeafMasses, HasAnExponentialForEachScaleOfData) {
  std::mt19937_64 random(13);
  std::normal_distribution<double> normal;
  const auto mass = [](const std::vector<double>& w) {
    return 1 + std::exp(-2 * w[0]) + std::exp(-2 * w[1]) + std::exp(-2 * w[2]);
  };
  std::vector<double> points, gradients;
  for (int n = 0; n < 4096; ++n) {
    const std::vector<double> w = {0.1 * normal(random), 0.8 * normal(random), 0.9 * normal(random)};
    points.insert(points.end(), w.begin(), w.end());
    points.push_back(0);
    gradients.insert(gradients.end(),
                     {normal(random), normal(random), normal(random), std::sqrt(mass(w)) * normal(random)});
  }
  std::vector<DependentScale> items;
  for (const std::size_t k : {0u, 1u, 2u}) {
    items.push_back({3, {k}});
    items.back().slopes = {1};
    items.back().by_data = true;
  }
  Metric metric{{1, 1, 1, 1}, {}, {}};
  fit_leaf_masses(items, points, gradients, metric);
  const LeafMasses& m = metric.leaves;
  ASSERT_EQ(m.count(), 1u);
  EXPECT_EQ(m.hyper, (std::vector<std::int32_t>{2, 1}));  // the widest first
  EXPECT_EQ(m.second, (std::vector<std::int32_t>{1}));
  for (const double v : {-2.0, 0.0, 2.0})
    for (const double w : {-2.0, 0.0, 2.0}) {
      const double found = (m.constant[0] + std::exp(m.intercept[0] + m.exponent[0] * v) +
                            std::exp(m.second_intercept[0] + m.exponent[1] * w)) /
                           (metric.scale[3] * metric.scale[3]);
      EXPECT_NEAR(std::log(found / mass({0, w, v})), 0, 0.3) << v << ' ' << w;
    }
}

// The precision of a slope of a trend between its neighbours, of scale e^t, and in the location of a level, of scale
// e^s: 2 e^(-2 t) + e^(-2 s). Draws show little of the second one, which is 400 times as large as the first three sd
// below the mean of s. One exponential of both hypers is wrong there by 4 to 6 in the logarithm.
TEST(FitLeafMasses, KnowsWhatADensityOfAnotherDoesInANeck) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const auto mass = [](double t, double s) { return 2 * std::exp(-2 * t) + std::exp(-2 * s); };
  std::vector<double> points, gradients;
  for (int n = 0; n < 4096; ++n) {
    const double t = 0.5 * normal(random), s = 2.5 + 2 * normal(random);
    points.insert(points.end(), {t, s, 0});
    gradients.insert(gradients.end(), {normal(random), normal(random), std::sqrt(mass(t, s)) * normal(random)});
  }
  DependentScale slope{2, {0, 1}};
  slope.slopes = {1, 0};
  Metric metric{{1, 1, 1}, {}, {}};
  fit_leaf_masses({slope}, points, gradients, metric);
  const LeafMasses& m = metric.leaves;
  ASSERT_EQ(m.count(), 1u);
  EXPECT_EQ(m.hyper, (std::vector<std::int32_t>{0, 1}));
  ASSERT_EQ(m.second, (std::vector<std::int32_t>{1}));
  for (const double s : {-3.5, 0.0, 2.5}) {
    const double found =
        (m.constant[0] + std::exp(m.intercept[0]) + std::exp(m.second_intercept[0] + m.exponent[1] * s)) /
        (metric.scale[2] * metric.scale[2]);
    EXPECT_NEAR(std::log(found / mass(0, s)), 0, 0.7) << s;
  }
}

/// Batches in BUGS's form: theta ~ normal(mu, 1 / sqrt(tau)), hyper log(tau). Draws with these precisions of theta and
/// mu show little of the neck, which begins three sd above their mean.
struct Batches {
  std::vector<double> points, gradients;
  DependentScale theta{1, {0}}, mu{2, {0}};

  static double of_theta(double log_tau) { return 1 + std::exp(log_tau + 2.8); }
  static double of_mu(double log_tau) { return 0.3 + std::exp(log_tau + 2); }

  explicit Batches(unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (int n = 0; n < 2048; ++n) {
      const double log_tau = -7 + 1.4 * normal(random);
      points.insert(points.end(), {log_tau, 0, 0, 0});
      gradients.insert(gradients.end(), {normal(random), std::sqrt(of_theta(log_tau)) * normal(random),
                                         std::sqrt(of_mu(log_tau)) * normal(random), normal(random)});
    }
    theta.slopes = {-0.5};
    theta.knows_small_scales = true;
    theta.location_terms = {{2, 1}};
  }
  /// Exponents of mu in a fit with these leaves.
  std::vector<double> exponents_of_mu(const std::vector<DependentScale>& with) const {
    Metric metric{{1, 1, 1, 1}, {}, {}};
    fit_leaf_masses(with, points, gradients, metric);
    const LeafMasses& m = metric.leaves;
    const auto at = std::find(m.component.begin(), m.component.end(), 2) - m.component.begin();
    return {m.exponent.begin() + m.first[static_cast<std::size_t>(at)],
            m.exponent.begin() + m.first[static_cast<std::size_t>(at) + 1]};
  }
};

// Extrapolated over 3 sd of the hyper, 4.2, by an exponent with an error of 0.2 at most: 4 such errors. Where
// gradients alone tell the exponents, those of seed 6 are -4.1 and -1.7.
TEST(FitLeafMasses, KnowsTheSlopeOfAScaleInANeckThatDrawsHardlyShow) {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    const Batches batches(seed);
    Metric metric{{1, 1, 1, 1}, {}, {}};
    fit_leaf_masses({batches.theta, batches.mu}, batches.points, batches.gradients, metric);
    const LeafMasses& m = metric.leaves;
    ASSERT_EQ(m.component, (std::vector<std::int32_t>{1, 2}));
    for (std::size_t leaf = 0; leaf < 2; ++leaf) {
      const double scale = metric.scale[leaf + 1];
      const double found = (m.constant[leaf] + std::exp(m.intercept[leaf] + m.exponent[leaf] * 1.4)) / (scale * scale);
      EXPECT_NEAR(std::log(found / (leaf == 0 ? Batches::of_theta(1.4) : Batches::of_mu(1.4))), 0, 3.4)
          << seed << ' ' << leaf;
      EXPECT_NEAR(m.exponent[leaf], 1, 0.8) << seed << ' ' << leaf;
    }
  }
}

TEST(FitLeafMasses, TakesNoSlopeThatHoldsWhereItWasLookedForAlone) {
  Batches batches(1);
  batches.theta.knows_small_scales = false;
  Metric with{{1, 1, 1, 1}, {}, {}}, without = with;
  fit_leaf_masses({batches.theta}, batches.points, batches.gradients, with);
  batches.theta.slopes.clear();
  fit_leaf_masses({batches.theta}, batches.points, batches.gradients, without);
  EXPECT_EQ(with.leaves.exponent, without.leaves.exponent);
}

// Component 2 stands in the locations of densities whose scales depend on the hyper in different ways, or whose own
// coefficients differ, or that have different hypers.
TEST(FitLeafMasses, TakesNoSlopeOfOthersThatIsNotThatOfAll) {
  const Batches batches(1);
  const std::vector<double> alone = batches.exponents_of_mu({batches.mu});
  EXPECT_NE(batches.exponents_of_mu({batches.theta, batches.mu}), alone);
  DependentScale other{3, {0}};
  other.slopes = {1};
  other.knows_small_scales = true;
  EXPECT_EQ(batches.exponents_of_mu({batches.theta, batches.mu, other}), alone);
  other.slopes = {-0.5};
  other.location_terms = {{2, 0.3}};
  EXPECT_EQ(batches.exponents_of_mu({batches.theta, batches.mu, other}), alone);

  Batches two(1);
  for (std::size_t k = 0; k < two.points.size(); k += 4) two.points[k + 3] = 2 * std::sin(static_cast<double>(k));
  two.mu.hypers = {0, 3};
  const std::vector<double> of_two = two.exponents_of_mu({two.mu});
  other = {1, {3}};
  other.slopes = {1};
  other.knows_small_scales = true;
  other.location_terms = {{2, 1}};
  EXPECT_EQ(two.exponents_of_mu({other, two.mu}), of_two);
}

TEST(FitLeafMasses, IsNotMisledByChainsFarOff) {
  Drawn drawn;
  for (std::size_t k = 0; k < n; k += 200)
    for (std::size_t i = 0; i < 6; ++i) drawn.gradients[k * 6 + i] *= 1e5;
  drawn.fit();
  for (const double w : {-2.0, 0.5, 3.0})
    EXPECT_NEAR(std::log(drawn.mass(2, {w, 0, 0, 0, 0, 0}) / Drawn::mass2(w)), 0, 0.6) << w;
  EXPECT_NEAR(std::log(drawn.metric.scale[0] / 0.5), 0, 0.3);
}

TEST(FitLeafMasses, LeavesOutWhatHardlyVaries) {
  Drawn drawn;
  for (std::size_t k = 0; k < n; ++k) drawn.points[k * 6] *= 0.14;  // sd 0.21
  drawn.fit();
  EXPECT_EQ(drawn.metric.leaves.component, (std::vector<std::int32_t>{4, 3}));
}

TEST(FitLeafMasses, LeavesOutWhatGradientsDoNotMove) {
  Drawn drawn;
  drawn.metric.scale[3] = 0;
  drawn.fit();
  EXPECT_EQ(drawn.metric.leaves.component, (std::vector<std::int32_t>{4, 2}));
  EXPECT_EQ(drawn.metric.scale[3], 0);
}

TEST(FitLeafMasses, TakesTheFourthLevelForConstant) {
  Drawn drawn;
  drawn.leaves = {{1, {0}}, {2, {1}}, {3, {2}}, {4, {3}}};
  drawn.fit();
  EXPECT_EQ(drawn.metric.leaves.component, (std::vector<std::int32_t>{3, 2, 1}));
}

}  // namespace
}  // namespace manychain
