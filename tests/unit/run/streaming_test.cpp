// Diagnostics without draws, against those of the very same draws when they are kept.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>

#include "manychain/manychain.hpp"
#include "streaming.hpp"

namespace {

using namespace manychain;
using streaming::expect_equal;
using streaming::Shape;

Settings settings(std::size_t chains, std::size_t draws) {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = chains;
  s.sampling.draws = draws;
  s.seed = 11;
  return s;
}

class EveryModel : public testing::TestWithParam<std::string> {};

TEST_P(EveryModel, many_chains) {
  // The funnel's coordinates: six quantiles do not follow a sharp peak with tails over many orders of magnitude.
  const Shape shape{500, 200, Precision::single_precision, GetParam() == "funnel" ? 0.4 : 0.1};
  Settings s = settings(shape.chains, shape.draws);
  s.sampling.metric =
      MetricKind::diagonal;  // the draws for which the errors are stated; of the banana they depend on the run
  s.warmup.starts = Starts::uniform;
  const Model model = builtin_model(GetParam());
  const Result stored = sample(model, s);
  s.output.keep_draws = false;
  expect_equal(stored, sample(model, s), shape);
}

INSTANTIATE_TEST_SUITE_P(Streaming, EveryModel,
                         testing::Values("normal", "correlated_normal", "ill_conditioned_normal", "banana",
                                         "rosenbrock", "funnel", "eight_schools", "eight_schools_centered",
                                         "linear_regression", "logistic_regression"),
                         [](const auto& model) { return model.param; });

TEST(Streaming, few_chains) {
  const Shape shape{4, 2000, Precision::single_precision};
  Settings s = settings(shape.chains, shape.draws);
  const Result stored = sample(builtin_model("eight_schools"), s);
  s.output.keep_draws = false;
  expect_equal(stored, sample(builtin_model("eight_schools"), s), shape);
}

TEST(Streaming, double_precision_one_chain_a_lane) {
  const Shape shape{96, 150, Precision::double_precision};
  Settings s = settings(shape.chains, shape.draws);
  s.precision = shape.precision;
  s.scalar = true;
  s.sampler = "hmc";
  const Result stored = sample(builtin_model("normal"), s);
  s.output.keep_draws = false;
  expect_equal(stored, sample(builtin_model("normal"), s), shape);
}

void expect_same(const Result& a, const Result& b) {
  for (std::size_t i = 0; i < a.summary.size(); ++i) {
    const VariableSummary &x = a.summary[i].statistics, &y = b.summary[i].statistics;
    EXPECT_EQ(x.mean, y.mean);
    EXPECT_EQ(x.sd, y.sd);
    EXPECT_EQ(x.q5, y.q5);
    EXPECT_EQ(x.q50, y.q50);
    EXPECT_EQ(x.rhat, y.rhat);
    EXPECT_EQ(x.ess_bulk, y.ess_bulk);
    EXPECT_EQ(x.mcse_sd, y.mcse_sd);
  }
  EXPECT_EQ(a.sampling.ebfmi, b.sampling.ebfmi);
}

TEST(Streaming, the_same_bits_for_any_number_of_threads_and_any_block_length) {
  Settings s = settings(300, 100);
  s.output.keep_draws = false;
  s.sampling.thin = 2;
  s.threads = 1;
  const Model model = builtin_model("eight_schools");
  const Result usual = sample(model, s);
  s.threads = 3;
  expect_same(usual, sample(model, s));
  for (const std::size_t inverse : {std::size_t{1}, std::size_t{1000000000}}) {
    s.blocks_per_second = inverse;
    expect_same(usual, sample(model, s));
  }
}

TEST(Streaming, runs_of_a_few_draws) {
  for (const std::size_t draws : {1, 2, 5, 7}) {
    Settings s = settings(1000, draws);
    s.output.keep_draws = false;
    const Result r = sample(builtin_model("normal"), s);
    const VariableSummary& x = r.summary[0].statistics;
    EXPECT_NEAR(x.mean, 0, 5 / std::sqrt(1000.0 * static_cast<double>(draws)));
    EXPECT_NEAR(x.sd, 1, 0.2);
    if (draws < 6) {
      EXPECT_TRUE(std::isnan(x.rhat)) << draws;
    }
  }
}

TEST(Streaming, without_warmup) {
  Settings s = settings(200, 50);
  s.output.keep_draws = false;
  s.warmup.transitions = 0;
  s.sampling.step_size = 0.5;
  const Result r = sample(builtin_model("normal"), s);
  EXPECT_NEAR(r.summary[0].statistics.mean, 0, 0.1);
}

TEST(Streaming, cancelled_before_the_maps_are_frozen) {
  std::atomic<bool> cancel{false};
  Settings s = settings(4, 1000);
  s.output.keep_draws = false;
  s.cancel = &cancel;
  s.blocks_per_second = 1000000000;
  s.progress = [&](const Progress& p) {
    if (std::string(p.phase) == "sampling") cancel = true;
  };
  const Result r = sample(builtin_model("normal"), s);
  EXPECT_TRUE(r.cancelled);
  ASSERT_GE(r.kept, 1u);
  EXPECT_LT(r.kept, 1000u);
  EXPECT_TRUE(std::isfinite(r.summary[0].statistics.mean));
  EXPECT_FALSE(r.converged);
}

}  // namespace
