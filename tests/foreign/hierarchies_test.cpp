// Hierarchies whose statements nobody sees: masses that depend on position are found from scores.
#include <gtest/gtest.h>

#include <cmath>

#include "manychain/manychain.hpp"

namespace manychain {
namespace {

/// Neal's funnel in 11 dimensions.
int funnel(std::size_t n, const double* q, double* gradient, double* logp, void*) {
  const double omega = q[0], precision = std::exp(-omega);
  double squares = 0;
  for (std::size_t i = 1; i < n; ++i) squares += q[i] * q[i];
  *logp = -omega * omega / 18 - 0.5 * static_cast<double>(n - 1) * omega - 0.5 * precision * squares;
  gradient[0] = -omega / 9 - 0.5 * static_cast<double>(n - 1) + 0.5 * precision * squares;
  for (std::size_t i = 1; i < n; ++i) gradient[i] = -precision * q[i];
  return 0;
}

/// The eight schools, centred: log tau, mu, theta; mu ~ N(0, 5), tau ~ half-Cauchy(5).
int schools(std::size_t n, const double* q, double* gradient, double* logp, void*) {
  constexpr double y[] = {28, 8, -3, 7, -1, 1, 18, 12}, sigma[] = {15, 10, 16, 11, 9, 11, 10, 18};
  const double tau2 = std::exp(2 * q[0]), mu = q[1];
  double squares = 0, sum = 0, data = 0;
  for (std::size_t j = 2; j < n; ++j) {
    const double z = q[j] - mu, error = (y[j - 2] - q[j]) / sigma[j - 2];
    squares += z * z, sum += z, data += error * error;
    gradient[j] = -z / tau2 + error / sigma[j - 2];
  }
  *logp = q[0] - std::log1p(tau2 / 25) - 8 * q[0] - 0.5 * squares / tau2 - mu * mu / 50 - 0.5 * data;
  gradient[0] = 1 - 2 * tau2 / 25 / (1 + tau2 / 25) - 8 + squares / tau2;
  gradient[1] = -mu / 25 + sum / tau2;
  return 0;
}

/// A normal along diagonals, in which no scale depends on anything.
int rotated(std::size_t n, const double* q, double* gradient, double* logp, void*) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) sum += q[i], squares += q[i] * q[i];
  const double along = sum / static_cast<double>(n);
  *logp = -0.5 * (squares - 0.99 * sum * along);
  for (std::size_t i = 0; i < n; ++i) gradient[i] = -(q[i] - 0.99 * along);
  return 0;
}

Result run(LogDensityCallback function, std::size_t dimension, MetricKind metric) {
  CallbackDensity density;
  density.dimension = dimension;
  density.function = function;
  Settings settings;
  settings.seed = 2;
  settings.sampling.metric = metric;
  return sample(Model(density), settings);
}

/// E of f(log tau) by quadrature: mu and theta are integrated out.
template <class F>
double of_log_tau(const F& f) {
  constexpr double y[] = {28, 8, -3, 7, -1, 1, 18, 12}, sigma[] = {15, 10, 16, 11, 9, 11, 10, 18};
  double above = 0, below = 0;
  for (double log_tau = -15; log_tau < 6; log_tau += 0.001) {
    const double tau2 = std::exp(2 * log_tau);
    double precision = 1 / 25.0, weighted = 0, squares = 0, logs = 0;
    for (int j = 0; j < 8; ++j) {
      const double v = tau2 + sigma[j] * sigma[j];
      precision += 1 / v, weighted += y[j] / v, squares += y[j] * y[j] / v, logs += std::log(v);
    }
    const double density = std::exp(log_tau - std::log1p(tau2 / 25) -
                                    0.5 * (logs + std::log(precision) + squares - weighted * weighted / precision));
    above += density * f(log_tau), below += density;
  }
  return above / below;
}

// False alarms below 1e-6 for each. The constant metric has an sd of omega of 2.8, with a standard error of 0.02, and
// diverges.
TEST(ForeignHierarchies, funnel) {
  const Result result = run(funnel, 11, MetricKind::automatic);
  EXPECT_TRUE(result.converged) << result.verdict().text();
  EXPECT_EQ(result.warmup.tuning[0].leaves, 10u);
  const VariableSummary& omega = result.summary[0].statistics;
  EXPECT_LT(std::fabs(omega.mean), 5 * omega.mcse_mean);
  EXPECT_LT(std::fabs(omega.sd - 3), 5 * omega.mcse_sd);
  EXPECT_LT(omega.mcse_sd, 0.1);
  EXPECT_EQ(result.sampling.divergences, 0u);
}

TEST(ForeignHierarchies, schools) {
  const Result result = run(schools, 10, MetricKind::automatic);
  EXPECT_TRUE(result.converged) << result.verdict().text();
  EXPECT_GE(result.warmup.tuning[0].leaves, 8u);
  const VariableSummary& log_tau = result.summary[0].statistics;
  const double mean = of_log_tau([](double x) { return x; }), square = of_log_tau([](double x) { return x * x; });
  EXPECT_LT(std::fabs(log_tau.mean - mean), 5 * log_tau.mcse_mean) << mean;
  EXPECT_LT(std::fabs(log_tau.sd - std::sqrt(square - mean * mean)), 5 * log_tau.mcse_sd);
}

TEST(ForeignHierarchies, none) {
  for (const MetricKind metric : {MetricKind::automatic, MetricKind::hierarchical}) {
    const Result result = run(rotated, 12, metric);
    EXPECT_TRUE(result.converged) << result.verdict().text();
    EXPECT_EQ(result.warmup.tuning[0].leaves, 0u);
  }
}

}  // namespace
}  // namespace manychain
