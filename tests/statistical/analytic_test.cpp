// Runs as users make them on targets whose moments are known: means and variances of every component, from the means
// over each chain's draws, which are independent. Funnel and Rosenbrock's valley are too hard to enter from outside and
// start from exact draws.
#include <gtest/gtest.h>

#include "manychain/run/result.hpp"
#include "statistical/exact_targets.hpp"

namespace {

using namespace statistical;
using manychain::Result;
using manychain::Settings;

struct Expected {
  std::vector<double> mean, variance;  // one per output
};

/// The largest |z| over means and second moments about the true mean.
double largest_z(const Result& result, const Expected& expected) {
  double worst = 0;
  const auto& draws = result.draws;
  for (std::size_t i = 0; i < draws.variables; ++i) {
    Moments mean, square;
    for (std::size_t c = 0; c < draws.chains; ++c) {
      Moments first, second;
      for (std::size_t d = 0; d < draws.draws; ++d) {
        const double x = draws(d, i, c) - expected.mean[i];
        first.add(x);
        second.add(x * x);
      }
      mean.add(first.mean);
      square.add(second.mean);
    }
    worst = std::max({worst, std::fabs(z_of_mean(mean, 0)), std::fabs(z_of_mean(square, expected.variance[i]))});
  }
  return worst;
}

Settings settings_for(const char* sampler, Precision precision) {
  Settings settings;
  settings.backend = manychain::Backend::cpu;
  settings.sampler = sampler;
  settings.precision = precision;
  settings.seed = 7;
  settings.chains = 2048;
  settings.output.keep_sample_stats = false;
  return settings;
}

constexpr Precision precisions[] = {Precision::single_precision, Precision::double_precision};

void expect_moments(const char* name, const Expected& expected, std::size_t thin = 1) {
  for (const Precision precision : precisions) {
    Settings settings = settings_for("hmc", precision);
    settings.sampling.thin = thin;
    settings.sampling.draws = 100;
    const Result result = sample(manychain::builtin_model(name), settings);
    EXPECT_LT(largest_z(result, expected), threshold) << name;
    EXPECT_TRUE(result.sampling.stuck_chains.empty());
    EXPECT_TRUE(result.sampling.outlying_chains.empty());
    EXPECT_TRUE(result.sampling.nonfinite_chains.empty());
  }
}

TEST(Analytic, normal) { expect_moments("normal", {std::vector<double>(10, 0), std::vector<double>(10, 1)}); }
TEST(Analytic, correlated_normal) { expect_moments("correlated_normal", {{0, 0}, {1, 1}}); }
TEST(Analytic, ill_conditioned_normal) {
  Expected expected{std::vector<double>(100, 0), {}};
  for (int i = 0; i < 100; ++i) expected.variance.push_back(std::pow(10.0, 2 * (3.0 * i / 99 - 2)));
  expect_moments("ill_conditioned_normal", expected);
}
// Its two arms are entered from the middle: warm-up is over before the chains have forgotten that, unless thinned.
TEST(Analytic, banana) { expect_moments("banana", {{0, 0}, {100, 19}}, 5); }

TEST(Analytic, metropolis) {
  for (const Precision precision : precisions) {
    Settings settings = settings_for("metropolis", precision);
    settings.warmup.transitions = 1000;
    settings.sampling.thin = 10;
    const Result result = sample(manychain::builtin_model("correlated_normal"), settings);
    EXPECT_LT(largest_z(result, {{0, 0}, {1, 1}}), threshold);
    EXPECT_NEAR(result.sampling.acceptance_rate, 0.234, 0.05);
    EXPECT_TRUE(result.converged) << result.table();
  }
}

/// From exact draws with the tuning given: what the chains report must stay exact, transition after transition.
void expect_exact(const ExactTarget& target, const char* sampler) {
  for (const Precision precision : precisions) {
    Settings settings = settings_for(sampler, precision);
    settings.chains = 16384;
    settings.warmup.transitions = 0;
    settings.sampling.draws = 10;
    settings.sampling.thin = 5;
    settings.sampling.step_size = settings.sampler == "hmc" ? target.step_size : target.proposal_scale;
    settings.sampling.trajectory = target.trajectory;
    const std::size_t n = target.model.layout().dimension;
    settings.warmup.initial_points.resize(n * settings.chains);
    Random random(3);
    std::vector<double> q(n), x(target.model.layout().outputs), values;
    for (std::size_t c = 0; c < settings.chains; ++c) {
      target.draw(random, q.data(), x.data());
      for (std::size_t i = 0; i < n; ++i) settings.warmup.initial_points[i * settings.chains + c] = q[i];
    }
    const Result result = sample(target.model, settings);
    std::vector<Moments> means;
    for (std::size_t c = 0; c < settings.chains; ++c) {
      std::vector<Moments> chain;
      for (std::size_t d = 0; d < *settings.sampling.draws; ++d) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = result.draws(d, i, c);
        values.clear();
        target.functions(x.data(), values);
        chain.resize(values.size());
        for (std::size_t f = 0; f < values.size(); ++f) chain[f].add(values[f]);
      }
      means.resize(chain.size());
      for (std::size_t f = 0; f < chain.size(); ++f) means[f].add(chain[f].mean);
    }
    // In the order of normal_functions(): z, z^2, cos(2z), z z' of each coordinate; last the log density.
    std::size_t f = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (const double expected : {0.0, 1.0, std::exp(-2.0), 0.0}) {
        if (f + 1 == means.size()) break;
        EXPECT_LT(std::fabs(z_of_mean(means[f], expected)), threshold) << target.name << " function " << f;
        ++f;
      }
    }
    EXPECT_LT(std::fabs(z_of_mean(means.back(), -0.5 * static_cast<double>(n))), threshold) << target.name;
  }
}

TEST(Analytic, funnel_from_exact_draws) {
  expect_exact(funnel_target(), "hmc");
  expect_exact(funnel_target(), "metropolis");
}
TEST(Analytic, rosenbrock_from_exact_draws) {
  expect_exact(rosenbrock_target(), "hmc");
  expect_exact(rosenbrock_target(), "metropolis");
}

}  // namespace
