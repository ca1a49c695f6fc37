// pathfinder(): where chains may start, for densities that are hard to start in.
//
// The start of a path is uniform on (-2, 2), as that of a chain. Sixteen paths of each density.
#include "starts/pathfinder.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "starts/mean_field.hpp"
#include "unit/run/density_evaluator.hpp"
#include "unit/run/pathfinder_densities.hpp"

namespace manychain::test {
namespace {

constexpr std::size_t paths = 16;

DensityEvaluator evaluator_of(const HardStart& problem) { return point_by_point(problem.density, problem.dimension); }

/// A uniform point with a finite density, if 100 tries find one.
Numbers uniform_start(const HardStart& problem, std::uint64_t number) {
  PlainRandom random(number + 100);
  Numbers q(problem.dimension), gradient(problem.dimension);
  for (int k = 0; k < 100; ++k) {
    for (double& x : q) x = 4 * random.uniform() - 2;
    if (std::isfinite(problem.density(q.data(), gradient.data()))) break;
  }
  return q;
}
Path path_of(const HardStart& problem, std::uint64_t number, const PathfinderPlan& plan = {}) {
  return pathfinder(evaluator_of(problem), uniform_start(problem, number), 1, number, plan);
}
void expect_moments(const HardStart& problem, double of_mean, double of_sd, std::size_t evaluations) {
  for (std::size_t k = 0; k < paths; ++k) {
    const Path path = path_of(problem, k);
    ASSERT_TRUE(path.found) << problem.name << ", path " << k;
    EXPECT_LE(path.evaluations, evaluations) << problem.name << ", path " << k;
    for (std::size_t i = 0; i < problem.dimension; ++i) {
      EXPECT_NEAR(path.normal.mean[i], problem.mean[i], of_mean * problem.sd[i]) << problem.name << ", component " << i;
      EXPECT_NEAR(path.sds[i] / problem.sd[i], 1, of_sd) << problem.name << ", component " << i;
    }
  }
}
/// Number of paths whose first draw is in the bulk. Each path takes at most `evaluations`.
std::size_t typical_starts(const HardStart& problem, std::size_t evaluations, const PathfinderPlan& plan = {}) {
  std::size_t typical = 0;
  for (std::size_t k = 0; k < paths; ++k) {
    const Path path = path_of(problem, k, plan);
    EXPECT_LE(path.evaluations, evaluations) << problem.name << ", path " << k;
    if (!path.found) continue;
    const DrawnStarts starts = draw_starts(evaluator_of(problem), path, 1, 1, k);
    if (problem.typical(starts.points.data(), starts.log_densities[0])) ++typical;
  }
  return typical;
}

TEST(Pathfinder, FindsNormalsOfAnyScale) {
  expect_moments(scaled_normal("scales", Numbers(13, 1), log_spaced(1e-6, 1e6, 13)), 1e-3, 1e-3, 100);
  expect_moments(scaled_normal("scales, 100", Numbers(100, 1), log_spaced(1e-6, 1e6, 100)), 1e-3, 1e-3, 200);
  expect_moments(scaled_normal("scales, 300", Numbers(300, 1), log_spaced(1e-6, 1e6, 300)), 1e-3, 1e-3, 100);
  expect_moments(scaled_normal("far", Numbers(10, 6e4), Numbers(10, 1)), 1e-3, 1e-3, 100);
}
TEST(Pathfinder, FindsRotatedNormals) {
  for (const std::size_t d : {20, 100})
    expect_moments(rotated("rotated", scaled_normal("", Numbers(d, 0), log_spaced(1, 316, d)), Numbers(d, 1)), 1e-3,
                   1e-3, 200);
  const HardStart units = rotated("rotated, then scaled", scaled_normal("", Numbers(10, 0), log_spaced(1e-2, 10, 10)),
                                  log_spaced(1e-6, 1e6, 10));
  expect_moments(units, 0.05, 0.05, 200);
  // Beyond `most_dense` L-BFGS knows the mode, not all scales.
  const HardStart large =
      rotated("rotated, 150", scaled_normal("", Numbers(150, 0), log_spaced(1, 316, 150)), Numbers(150, 1));
  EXPECT_EQ(typical_starts(large, 400), paths);
}
TEST(Pathfinder, FindsARegressionFarAway) {
  const HardStart problem = unscaled_regression("regression", 6000, 30, 70, 4.4, 500);
  // Intercept and slope are correlated by 70 / sqrt(70^2 + 4.4^2) = 0.998.
  expect_moments(problem, 0.01, 0.02, 200);
}
// At the beginning of a path the density seems flat as far as its scales reach there.
TEST(Pathfinder, FindsARegressionWhoseScalesGrowOnTheWay) { EXPECT_EQ(typical_starts(five_prices(), 600), paths); }
TEST(Pathfinder, FindsALogisticRegression) {
  const HardStart problem = unscaled_logistic();
  Numbers sds;
  for (std::size_t k = 0; k < paths; ++k) {
    const Path path = path_of(problem, k);
    ASSERT_TRUE(path.found);
    EXPECT_LE(path.evaluations, 200u);
    // All paths agree, and the gradient in units of the standard deviations vanishes: it is the mode.
    Numbers gradient(4);
    problem.density(path.best_point.data(), gradient.data());
    if (sds.empty()) sds = path.sds;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(path.sds[i] / sds[i], 1, 0.02);
      EXPECT_NEAR(gradient[i] * path.sds[i], 0, 0.1);
    }
    const DrawnStarts starts = draw_starts(evaluator_of(problem), path, 4, 1, k);
    for (const double lp : starts.log_densities) EXPECT_TRUE(in_bulk(lp, path.best_log_density, 4));
  }
}
TEST(Pathfinder, StopsBeforeASpike) {
  EXPECT_GE(typical_starts(eight_schools_centred(), 1000), 15u);
  EXPECT_GE(typical_starts(neals_funnel(10), 1000), 14u);
  EXPECT_GE(typical_starts(neals_funnel(2), 1000), 14u);
}
// All paths end in a spike. What they have passed on the way fits the posterior nowhere.
TEST(Pathfinder, LeavesASpikeByIndependentComponents) {
  PathfinderPlan plan;
  EXPECT_LE(typical_starts(walk_with_errors(), 1000, plan), 2u);
  plan.mean_field_evaluations = 4000;
  EXPECT_GE(typical_starts(walk_with_errors(), 5000, plan), 14u);
  plan.mean_field_evaluations = 100;
  typical_starts(walk_with_errors(), 1000, plan);  // no more than that
}
// Normals whose components are independent: the means are exact, and the sds as exact as eight squares can be.
TEST(Pathfinder, FitsIndependentComponentsToANormal) {
  const Numbers means = {1, -200, 0}, sds = {1e-3, 100, 2};
  const HardStart problem = scaled_normal("", means, sds);
  const DensityEvaluator density = evaluator_of(problem);
  NegativeLogDensity f(density);
  const auto draw = [](std::size_t k) {
    PlainRandom random(k);
    return Numbers{random.normal(), random.normal(), random.normal()};
  };
  const MeanField fitted = fit_mean_field(f, {Numbers(3, 0), Numbers(3, 1)}, draw, 4000);
  for (std::size_t i = 0; i < 3; ++i) {
    double squares = 0;
    for (std::size_t k = 0; k < 8; ++k) squares += std::pow(draw(k)[i], 2) / 8;
    EXPECT_NEAR(fitted.mean[i], means[i], 0.05 * sds[i]);
    EXPECT_NEAR(fitted.sds[i], sds[i] / std::sqrt(squares), 0.05 * sds[i]);
  }
}
TEST(Pathfinder, StartsInHeavyTailsAndOnABanana) {
  EXPECT_EQ(typical_starts(student_t(10, 1, 0), 400), paths);
  EXPECT_EQ(typical_starts(student_t(10, 0.01, 50), 400), paths);
  EXPECT_EQ(typical_starts(banana(), 300), paths);
}
TEST(Pathfinder, StaysInTheSupport) {
  EXPECT_GE(typical_starts(half_space(), 600), 14u);
  EXPECT_EQ(typical_starts(not_a_number(), 300), paths);
}

void expect_nothing(std::size_t dimension, const Density& density) {
  const HardStart problem{"", dimension, density, {}, {}, {}};
  for (std::size_t k = 0; k < paths; ++k) {
    const Path path = path_of(problem, k);
    EXPECT_FALSE(path.found) << "path " << k;
    EXPECT_LE(path.evaluations, 1100u);
  }
}
TEST(Pathfinder, SaysThatThereIsNothing) {
  const auto zero = [](const double*, double* g) { return g[0] = g[1] = g[2] = 0, 0.0; };
  expect_nothing(3, zero);
  expect_nothing(3, [](const double* q, double* g) {  // flat in one component
    g[0] = -100 * q[0], g[1] = -q[1], g[2] = 0;
    return -50 * q[0] * q[0] - 0.5 * q[1] * q[1];
  });
  expect_nothing(3, [](const double* q, double* g) {  // only a sum is known
    const double r = q[0] + q[1] - 2;
    g[0] = g[1] = -r, g[2] = -q[2];
    return -0.5 * r * r - 0.5 * q[2] * q[2];
  });
  expect_nothing(2, [](const double* q, double* g) { return g[0] = 1, g[1] = -q[1], q[0] - 0.5 * q[1] * q[1]; });
  expect_nothing(2, [](const double*, double* g) { return g[0] = g[1] = 0, -HUGE_VAL; });
  expect_nothing(2, [](const double*, double* g) { return g[0] = g[1] = NAN, NAN; });
  // In many dimensions: one component that the density does not know.
  expect_nothing(150, [](const double* q, double* g) {
    double lp = g[0] = 0;
    for (std::size_t i = 1; i < 150; ++i) lp -= 0.5 * q[i] * q[i], g[i] = -q[i];
    return lp;
  });
}

/// Two normals of sd 1 at -10 and 10.
double two_modes(const double* q, double* g) {
  const double a = q[0] - 10, b = q[0] + 10, top = std::max(-0.5 * a * a, -0.5 * b * b);
  const double wa = std::exp(-0.5 * a * a - top), wb = std::exp(-0.5 * b * b - top);
  g[0] = -(wa * a + wb * b) / (wa + wb);
  g[1] = -q[1];
  return top + std::log(wa + wb) - 0.5 * q[1] * q[1];
}
TEST(Pathfinder, LeavesEachPathInItsMode) {
  for (const double side : {-1, 1}) {
    const Path path = pathfinder(point_by_point(two_modes, 2), {4 * side, 0.5}, 1, 0);
    ASSERT_TRUE(path.found);
    EXPECT_NEAR(path.normal.mean[0], 10 * side, 0.01);
    EXPECT_NEAR(path.sds[0], 1, 0.01);
  }
}

TEST(Pathfinder, IsAFunctionOfSeedAndNumber) {
  const HardStart problem = eight_schools_centred();
  const Path a = path_of(problem, 3), b = path_of(problem, 3);
  EXPECT_EQ(a.normal.mean, b.normal.mean);
  EXPECT_EQ(a.elbo, b.elbo);
  EXPECT_EQ(a.evaluations, b.evaluations);
  const DrawnStarts many = draw_starts(evaluator_of(problem), a, 5, 1, 3),
                    few = draw_starts(evaluator_of(problem), a, 2, 1, 3);
  EXPECT_TRUE(std::equal(few.points.begin(), few.points.end(), many.points.begin()));
  EXPECT_NE(many.points, draw_starts(evaluator_of(problem), a, 5, 2, 3).points);
  EXPECT_NE(many.points, draw_starts(evaluator_of(problem), a, 5, 1, 4).points);
}

/// The draws of a path that has found a normal exactly are those of that normal.
TEST(Pathfinder, DrawsTheNormalThatItFound) {
  const HardStart problem = rotated("rotated", scaled_normal("", Numbers(5, 1), log_spaced(1, 30, 5)), Numbers(5, 1));
  const std::size_t n = 4000;
  const DrawnStarts starts = draw_starts(evaluator_of(problem), path_of(problem, 0), n, 1, 0);
  for (std::size_t i = 0; i < 5; ++i) {
    double sum = 0, squares = 0;
    for (std::size_t d = 0; d < n; ++d) {
      const double z = (starts.points[d * 5 + i] - problem.mean[i]) / problem.sd[i];
      sum += z, squares += z * z;
    }
    // Six standard deviations of a mean of 4000: 6 / sqrt(4000), and sqrt(2) times that.
    EXPECT_NEAR(sum / static_cast<double>(n), 0, 0.095);
    EXPECT_NEAR(squares / static_cast<double>(n), 1, 0.135);
  }
  Numbers gradient(5);
  EXPECT_EQ(starts.log_densities[7], problem.density(&starts.points[35], gradient.data()));
}

}  // namespace
}  // namespace manychain::test
