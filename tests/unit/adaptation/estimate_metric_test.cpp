// Metrics from points whose covariance is known.
#include "adaptation/estimate_metric.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

namespace {

using namespace manychain;

/// `n` normal points with covariance A A': [point][dimension].
std::vector<double> points_of(const Eigen::MatrixXd& a, std::size_t n) {
  std::mt19937_64 random(20261122);
  std::normal_distribution<double> normal;
  std::vector<double> points;
  Eigen::VectorXd z(a.cols());
  for (std::size_t k = 0; k < n; ++k) {
    for (Eigen::Index i = 0; i < z.size(); ++i) z[i] = normal(random);
    const Eigen::VectorXd x = a * z;
    points.insert(points.end(), x.begin(), x.end());
  }
  return points;
}
std::vector<double> scale_of(const Eigen::MatrixXd& a) {
  const Eigen::VectorXd scale = (a * a.transpose()).diagonal().cwiseSqrt();
  return {scale.begin(), scale.end()};
}
Eigen::MatrixXd matrix_of(const Metric& m) {
  const auto d = static_cast<Eigen::Index>(m.scale.size()), k = static_cast<Eigen::Index>(m.rank());
  const Eigen::Map<const Eigen::VectorXd> scale(m.scale.data(), d), lambda(m.eigenvalues.data(), k);
  const Eigen::Map<const Eigen::MatrixXd> u(m.directions.data(), d, k);
  const Eigen::MatrixXd c =
      Eigen::MatrixXd::Identity(d, d) + u * (lambda.array() - 1).matrix().asDiagonal() * u.transpose();
  return scale.asDiagonal() * c * scale.asDiagonal();
}
/// The largest and the smallest eigenvalue of the covariance in the coordinates that the metric makes: one, if it is
/// the covariance.
std::pair<double, double> spread(const Metric& m, const Eigen::MatrixXd& a) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(a * a.transpose(), matrix_of(m),
                                                                         Eigen::EigenvaluesOnly);
  return {solver.eigenvalues().minCoeff(), solver.eigenvalues().maxCoeff()};
}
/// x = scale (z + load * common): correlations of load^2 / (1 + load^2).
Eigen::MatrixXd one_factor(Eigen::Index d, double load) {
  Eigen::MatrixXd a(d, d + 1);
  a << Eigen::MatrixXd::Identity(d, d), load * Eigen::VectorXd::Ones(d);
  for (Eigen::Index i = 0; i < d; ++i) a.row(i) *= std::pow(10.0, static_cast<double>(i % 7) - 3);
  return a;
}

// With n points in d dimensions eigenvalues scatter by (1 +- sqrt(d / n))^2: from 0.87 to 1.14 for 20 and 4096.
TEST(EstimateMetric, dense_is_the_covariance) {
  const Eigen::MatrixXd a = one_factor(20, 5);
  const MetricEstimate found = estimate_metric(MetricKind::dense, scale_of(a), points_of(a, 4096), 0.01);
  EXPECT_EQ(found.metric.rank(), 20u);
  EXPECT_EQ(found.widest, 1);
  const auto [low, high] = spread(found.metric, a);
  EXPECT_GT(low, 0.8);
  EXPECT_LT(high, 1.25);
}
TEST(EstimateMetric, low_rank_finds_the_direction_that_stands_out) {
  const Eigen::MatrixXd a = one_factor(20, 1);  // an eigenvalue of 10.5, the others one half
  const MetricEstimate found = estimate_metric(MetricKind::low_rank, scale_of(a), points_of(a, 4096), 0.01);
  EXPECT_GE(found.metric.rank(), 1u);
  EXPECT_NEAR(found.metric.eigenvalues[0], 10.5, 1);
  const auto [low, high] = spread(found.metric, a);
  EXPECT_LT(high / low, 3);
}
TEST(EstimateMetric, automatic_takes_what_pays) {
  const Eigen::MatrixXd a = one_factor(20, 5);  // an eigenvalue of 19.3, the others 0.038
  EXPECT_GE(estimate_metric(MetricKind::automatic, scale_of(a), points_of(a, 4096), 0.01).metric.rank(), 19u);
  const Eigen::MatrixXd none = one_factor(20, 0);
  const MetricEstimate diagonal = estimate_metric(MetricKind::automatic, scale_of(none), points_of(none, 4096), 0.01);
  EXPECT_EQ(diagonal.metric.rank(), 0u);
  EXPECT_LT(diagonal.widest, 1.05);
  // Correlations of 0.1: an eigenvalue of 2.7 that a direction takes away, if it costs little.
  const Eigen::MatrixXd weak = one_factor(20, 1.0 / 3);
  EXPECT_GE(estimate_metric(MetricKind::automatic, scale_of(weak), points_of(weak, 4096), 0.001).metric.rank(), 1u);
  const MetricEstimate dear = estimate_metric(MetricKind::automatic, scale_of(weak), points_of(weak, 4096), 2);
  EXPECT_EQ(dear.metric.rank(), 0u);
  EXPECT_NEAR(dear.widest, 2.9, 0.3);
}
// Independent components of t with 2.1 degrees of freedom: in a sample of 1024 some pairs look correlated by a few
// points far out.
TEST(EstimateMetric, chance_in_a_heavy_tail_is_no_direction) {
  std::mt19937_64 random(7);
  std::student_t_distribution<double> heavy(2.1);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> points(1024 * 10), scale(10, 0.0);
    for (double& x : points) x = heavy(random) * std::pow(heavy(random), 2);
    for (std::size_t k = 0; k < points.size(); ++k) scale[k % 10] += points[k] * points[k] / 1024;
    for (double& x : scale) x = std::sqrt(x);
    const MetricEstimate found = estimate_metric(MetricKind::automatic, scale, points, 0.01);
    EXPECT_EQ(found.metric.rank(), 0u) << trial;
  }
}
TEST(EstimateMetric, diagonal_tells_the_widest_direction) {
  const Eigen::MatrixXd a = one_factor(20, 1);
  const MetricEstimate found = estimate_metric(MetricKind::diagonal, scale_of(a), points_of(a, 4096), 0.01);
  EXPECT_EQ(found.metric.rank(), 0u);
  EXPECT_NEAR(found.widest, 10.5, 1);  // 3 % of it is one error
}
// A normal has g = -Sigma^-1 (x - mu), so that sd(g_i)^2 = (Sigma^-1)_ii. 16 384 points: 1 % of a scale is three
// errors.
TEST(EstimateMetric, fisher_scales_are_between_the_marginal_and_the_conditional) {
  const Eigen::MatrixXd a = one_factor(20, 1), covariance = a * a.transpose(), precision = covariance.inverse();
  const std::vector<double> points = points_of(a, 16384);
  std::vector<double> gradients;
  for (std::size_t k = 0; k < points.size() / 20; ++k) {
    const Eigen::VectorXd g = -precision * Eigen::Map<const Eigen::VectorXd>(points.data() + 20 * k, 20);
    gradients.insert(gradients.end(), g.data(), g.data() + 20);
  }
  const std::vector<double> scale = fisher_scale(scale_of(a), points, gradients);
  for (std::size_t i = 0; i < 20; ++i) {
    const auto j = static_cast<Eigen::Index>(i);
    EXPECT_NEAR(scale[i] / std::pow(covariance(j, j) / precision(j, j), 0.25), 1, 0.01);
  }
  // In these units the widest direction is wider, or narrower, than among correlations.
  Eigen::VectorXd reciprocal(20);
  for (std::size_t i = 0; i < 20; ++i) reciprocal(static_cast<Eigen::Index>(i)) = 1 / scale[i];
  const Eigen::MatrixXd whitened = reciprocal.asDiagonal() * covariance * reciprocal.asDiagonal();
  const double widest = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(whitened).eigenvalues().maxCoeff();
  const MetricEstimate found = estimate_metric(MetricKind::fisher, scale, points, 0.01);
  EXPECT_EQ(found.metric.rank(), 0u);
  EXPECT_NEAR(found.widest / widest, 1, 0.06);  // four errors

  std::vector<double> flat(gradients.size(), 0.0);  // gradients that do not vary say nothing
  EXPECT_EQ(fisher_scale(scale_of(a), points, flat), scale_of(a));
}
TEST(EstimateMetric, of_many_dimensions_the_widest_directions_alone) {
  const Eigen::MatrixXd a = one_factor(300, 1);  // an eigenvalue of 150.5
  const MetricEstimate found = estimate_metric(MetricKind::automatic, scale_of(a), points_of(a, 2048), 0.01);
  ASSERT_GE(found.metric.rank(), 1u);
  EXPECT_LE(found.metric.rank(), metric_capacity(300));
  EXPECT_NEAR(found.metric.eigenvalues[0], 150.5, 10);
}
// Fifty pairs of correlated components among 300 of which the others have no scale: more directions than 300 have room
// for.
TEST(EstimateMetric, of_few_components_that_move_no_more_directions_than_there_is_room_for) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Identity(300, 300);
  for (Eigen::Index i = 0; i < 100; i += 2) a(i, i + 1) = a(i + 1, i) = 0.99;
  std::vector<double> scale = scale_of(a);
  std::fill(scale.begin() + 100, scale.end(), 0);
  for (const MetricKind kind : {MetricKind::automatic, MetricKind::dense, MetricKind::low_rank}) {
    const MetricEstimate found = estimate_metric(kind, scale, points_of(a, 1024), 0.001);
    EXPECT_LE(found.metric.rank(), metric_capacity(300));
    if (kind != MetricKind::automatic) {
      EXPECT_EQ(found.metric.rank(), metric_capacity(300));
    }
  }
}
TEST(EstimateMetric, components_that_gradients_do_not_move_have_no_part) {
  const Eigen::MatrixXd a = one_factor(6, 3);
  std::vector<double> scale = scale_of(a);
  scale[2] = 0;
  const MetricEstimate found = estimate_metric(MetricKind::dense, scale, points_of(a, 4096), 0.01);
  ASSERT_EQ(found.metric.rank(), 5u);
  for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(found.metric.directions[6 * j + 2], 0);
}
TEST(EstimateMetric, a_component_at_rest_is_no_narrow_direction) {
  const Eigen::MatrixXd a = Eigen::MatrixXd::Identity(4, 4);
  std::vector<double> points = points_of(a, 4000);
  for (std::size_t k = 0; k < 4000; ++k) points[4 * k + 2] = 7;
  for (const MetricKind kind : {MetricKind::automatic, MetricKind::low_rank})
    EXPECT_EQ(estimate_metric(kind, scale_of(a), points, 0.01).metric.rank(), 0u);
  for (const double lambda : estimate_metric(MetricKind::dense, scale_of(a), points, 0.01).metric.eigenvalues)
    EXPECT_NEAR(lambda, 1, 0.2);
}

TEST(EstimateMetric, too_few_points_say_nothing) {
  const Eigen::MatrixXd a = one_factor(20, 5);
  const MetricEstimate found = estimate_metric(MetricKind::dense, scale_of(a), points_of(a, 30), 0.01);
  EXPECT_EQ(found.metric.rank(), 0u);
  EXPECT_EQ(found.widest, 1);
}
TEST(EstimateMetric, marginal_variances) {
  const Eigen::MatrixXd a = one_factor(20, 5);
  const Metric metric = estimate_metric(MetricKind::dense, scale_of(a), points_of(a, 4096), 0.01).metric;
  const std::vector<double> variances = metric.variances();
  for (Eigen::Index i = 0; i < 20; ++i)
    EXPECT_NEAR(variances[static_cast<std::size_t>(i)] / matrix_of(metric)(i, i), 1, 1e-12);
}

TEST(MetricDistance, is_that_of_variances) {
  const Metric a{{1, 2}, {}, {}}, b{{1, 2 * std::exp(0.5)}, {}, {}};
  EXPECT_EQ(metric_distance(a, a), 0);
  EXPECT_NEAR(metric_distance(a, b), 1, 1e-12);
  const double r = std::sqrt(0.5);
  const Metric c{{1, 2}, {4}, {r, r}};  // along (1, 1) in scaled coordinates four times the variance
  EXPECT_NEAR(metric_distance(a, c), std::log(4), 1e-12);
  EXPECT_NEAR(metric_distance(c, a), std::log(4), 1e-12);
  EXPECT_NEAR(metric_distance(c, c), 0, 1e-12);
  const Metric half{{1, 0}, {}, {}};  // a component that gradients do not move
  EXPECT_EQ(metric_distance(half, half), 0);
}

/// Number of sets of chains, of `trials`, that have forgotten their starts. Superchains differ by a standard deviation
/// of `between`.
int forgotten(std::size_t chains, std::size_t superchains, std::size_t dimension, double between, int trials) {
  std::mt19937_64 random(20261122);
  std::normal_distribution<double> normal;
  int count = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> starts(superchains * dimension), points(chains * dimension);
    for (double& x : starts) x = between * normal(random);
    for (std::size_t c = 0; c < chains; ++c)
      for (std::size_t i = 0; i < dimension; ++i)
        points[c * dimension + i] = 7 + normal(random) + (superchains ? starts[c % superchains * dimension + i] : 0);
    count += starts_forgotten(points, dimension, superchains);
  }
  return count;
}
// False alarms: one in a thousand, 4 expected of 4000; 20 or more have a probability below 1e-7.
TEST(StartsForgotten, hardly_ever_fails_where_they_are) {
  EXPECT_GT(forgotten(256, 16, 1, 0, 4000), 3980);
  EXPECT_GT(forgotten(256, 16, 10, 0, 4000), 3980);
  EXPECT_GT(forgotten(64, 16, 3, 0, 4000), 3980);
  EXPECT_EQ(forgotten(4, 2, 1, 0, 10), 0);    // too few to tell
  EXPECT_EQ(forgotten(64, 0, 3, 5, 10), 10);  // without superchains there is nothing to see
}
// Power: superchains half a standard deviation apart, 64 chains in each: F is 17 times larger.
TEST(StartsForgotten, sees_what_is_left_of_them) {
  EXPECT_EQ(forgotten(1024, 16, 1, 0.5, 1000), 0);
  EXPECT_EQ(forgotten(256, 16, 10, 1, 1000), 0);
}

}  // namespace
