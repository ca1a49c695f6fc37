// Warm-up: the chains arrive, the scales are right, the step size is frozen; and a few chains that never arrive are
// named without harm to the others.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <set>

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"

namespace {

using namespace manychain;

Settings cpu_settings(std::size_t chains, std::uint64_t seed = 1) {
  Settings settings;
  settings.backend = Backend::cpu;
  settings.threads = 1;  // threads meet after every adapting transition: on a busy machine that is slower, not faster
  settings.chains = chains;
  settings.warmup.transitions = 300;  // all of it, settled or not: bounds are derived from the length of windows
  settings.seed = seed;
  settings.output.keep_sample_stats = false;
  return settings;
}

Model far_away_model() {
  return builtin_model("linear_regression", Data::from_file(MANYCHAIN_TEST_DATA "/posteriors/sblri.json"));
}

// uniform(-2, 2) is some 3000 posterior standard deviations wide here, and chains that start with a small sigma see a
// density 10^4 times as steep as the others.
TEST(Warmup, arrives_from_thousands_of_standard_deviations) {
  for (const std::size_t chains : {std::size_t{1}, std::size_t{16}, std::size_t{1024}}) {
    for (std::uint64_t seed = 1; seed <= (chains > 100 ? 5 : 20); ++seed) {
      SCOPED_TRACE(testing::Message() << chains << " chains, seed " << seed);
      Settings settings = cpu_settings(chains, seed);
      settings.sampling.draws = 100;
      const Result result = sample(far_away_model(), settings);
      EXPECT_TRUE(result.sampling.outlying_chains.empty());
      EXPECT_TRUE(result.sampling.stuck_chains.empty());
      EXPECT_EQ(result.sampling.divergences, 0u);
      for (const SummaryRow& row : result.summary) {
        const double truth = row.name == "sigma" ? 0.963 : 1.0, sd = row.name == "sigma" ? 0.072 : 0.0011;
        EXPECT_NEAR(row.statistics.mean, truth, 5 * sd) << row.name;
        EXPECT_LT(row.statistics.sd, 3 * sd) << row.name;
      }
      if (chains == 1024) {
        // Sampling 100 draws takes some 700 gradients; a warm-up whose metric was spoilt by one chain took 200 000.
        EXPECT_LT(result.gradients / chains, 10000);
      }
    }
  }
}

TEST(Warmup, any_number_of_chains) {
  for (const std::size_t chains : {1, 2, 15, 17, 257, 100000}) {
    Settings settings = cpu_settings(chains);
    settings.sampling.draws = 20;
    const Result result = sample(builtin_model("normal"), settings);
    EXPECT_EQ(result.draws.chains, chains);
    EXPECT_TRUE(result.sampling.stuck_chains.empty());
    // The step is what 30 transitions of each chain said, with probabilities that scatter by 0.25 at most: five
    // standard errors. The target is a harmonic mean, below which the mean cannot lie.
    EXPECT_GT(result.sampling.acceptance_rate, 0.84 - 5 * 0.25 / std::sqrt(30.0 * static_cast<double>(chains)));
    EXPECT_LT(result.sampling.acceptance_rate, 0.97);
    // The last window has more than 100 transitions, whose squares are worth half as many independent ones: five
    // standard errors of a variance.
    const double tolerance = 5 * std::sqrt(2 / (50.0 * static_cast<double>(chains))) + 0.01;
    for (double variance : result.warmup.tuning[0].inverse_metric) EXPECT_NEAR(std::log(variance), 0, tolerance);
  }
}

TEST(Warmup, metric_is_the_variances) {
  for (const std::size_t chains : {64, 1024}) {
    const Result result = sample(builtin_model("ill_conditioned_normal"), cpu_settings(chains));
    for (std::size_t i = 0; i < 100; ++i) {
      const double variance = std::pow(10.0, 2 * (3.0 * static_cast<double>(i) / 99 - 2));
      EXPECT_NEAR(result.warmup.tuning[0].inverse_metric[i] / variance, 1, chains == 64 ? 0.15 : 0.05) << i;
    }
  }
}

// The acceptance rates of the very transitions that were tuned last, pooled as they were pooled.
TEST(Warmup, reaches_the_target_acceptance) {
  for (const double target : {0.6, 0.8, 0.9}) {
    Settings settings = cpu_settings(4096);
    settings.warmup.transitions = 1000;
    settings.sampling.draws = 128;
    settings.output.keep_sample_stats = true;
    settings.warmup.target_acceptance = target;
    const Result result = sample(builtin_model("normal"), settings);
    double inverse = 0;
    for (std::size_t d = 0; d < *settings.sampling.draws; ++d) {
      double each = 0;
      for (std::size_t c = 0; c < settings.chains; ++c) each += 1 / std::max(result.sample_stats(d, 1, c), 0.01);
      inverse += static_cast<double>(settings.chains) / each / static_cast<double>(*settings.sampling.draws);
    }
    EXPECT_NEAR(inverse, target, 0.05) << "harmonic mean of acceptance probabilities";

    settings.sampler = "metropolis";
    settings.warmup.target_acceptance = target / 2;
    EXPECT_NEAR(sample(builtin_model("normal"), settings).sampling.acceptance_rate, target / 2, 0.03);
  }
}

TEST(Warmup, step_size_is_frozen_afterwards) {
  Settings settings = cpu_settings(64);
  std::set<double> while_sampling;
  settings.blocks_per_second = 1000000;
  settings.progress = [&](const Progress& p) {
    if (std::string(p.phase) == "sampling") while_sampling.insert(p.step_size);
  };
  const Result result = sample(builtin_model("normal"), settings);
  ASSERT_EQ(while_sampling.size(), 1u);
  EXPECT_EQ(*while_sampling.begin(), result.warmup.tuning[0].step_size);
}

/// Chains `lost` start where none of their proposals can be accepted. Named at the end or, if `restarted`, restarted in
/// warm-up.
void expect_found(Settings settings, const Model& model, const std::vector<std::size_t>& lost, double far,
                  bool restarted) {
  SCOPED_TRACE(restarted ? "restarted" : "named");
  const Result good = sample(model, settings);
  EXPECT_TRUE(good.converged) << good.table();
  EXPECT_EQ(good.warmup.restarted.chains, 0u);
  const std::size_t n = model.layout().dimension;
  settings.warmup.initial_points.assign(n * settings.chains, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < settings.chains; ++c)
      settings.warmup.initial_points[i * settings.chains + c] = std::sin(static_cast<double>(31 * c + 7 * i));
  for (const std::size_t c : lost)
    for (std::size_t i = 0; i < n; ++i) settings.warmup.initial_points[i * settings.chains + c] = far;
  const Result bad = sample(model, settings);
  EXPECT_EQ(bad.converged, restarted);
  EXPECT_EQ(bad.sampling.outlying_chains, restarted ? std::vector<std::size_t>() : lost);
  EXPECT_EQ(bad.sampling.stuck_chains, restarted ? std::vector<std::size_t>() : lost);
  EXPECT_EQ(bad.problems().empty(), restarted);
  EXPECT_EQ(bad.warmup.restarted.chains, restarted ? lost.size() : 0);
  // The others do not pay for it.
  EXPECT_NEAR(bad.warmup.tuning[0].step_size / good.warmup.tuning[0].step_size, 1, 0.25);
  // Steps are small for the 50 transitions after which a chain counts as lost; a run of 39 has no windows.
  EXPECT_NEAR(static_cast<double>(bad.gradients) / static_cast<double>(good.gradients), 1, restarted ? 0.4 : 0.35);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(bad.warmup.tuning[0].inverse_metric[i] / good.warmup.tuning[0].inverse_metric[i], 1, 0.1);
}

// A wall around an island: the density is flat but for the standard normal within, so that a chain outside gets no hint
// and a proposal never lands.
TEST(Warmup, chains_that_never_arrive_are_restarted_or_named_and_harm_nobody) {
  CompiledDensity density;
  density.dimension = 3;
  density.value_and_gradient = [](const double* q, double* gradient) {
    const double far = 1000;
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      sum -= 0.5 * q[i] * q[i];
      gradient[i] = -q[i];
    }
    if (q[0] < far) return sum;
    // A needle so thin that no step finds its inside again.
    const double x = (q[0] - far - 1) * 1e12;
    gradient[0] = -x * 1e12;
    gradient[1] = gradient[2] = 0;
    return -1e6 - 0.5 * x * x;
  };
  Settings settings = cpu_settings(512);
  settings.precision = Precision::double_precision;
  settings.sampling.draws = 200;
  settings.sampling.thin = 2;
  expect_found(settings, Model(density), {3, 200, 201, 202, 511}, 1001, true);
  settings.warmup.transitions = 39;  // without windows nothing is restarted
  expect_found(settings, Model(density), {3, 200, 201, 202, 511}, 1001, false);
}

}  // namespace
