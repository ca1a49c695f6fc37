// Runs that end when they are done: at the same place whatever runs them, and with the draws of a longer run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "manychain/core/error.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"

namespace {

using namespace manychain;

Settings settings() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 256;
  s.seed = 4;
  return s;
}

void expect_same_draws(const Result& a, const Result& b, std::size_t draws) {
  for (std::size_t d = 0; d < draws; ++d)
    for (std::size_t v = 0; v < a.draws.variables; ++v)
      for (std::size_t c = 0; c < a.draws.chains; ++c) ASSERT_EQ(a.draws(d, v, c), b.draws(d, v, c));
}

TEST(TargetEss, ends_with_the_first_draws_of_a_longer_run) {
  const Model model = builtin_model("eight_schools");
  Settings s = settings();
  s.sampling.draws = 100;
  const Result whole = sample(model, s);
  s.sampling.target_ess = 400;
  const Result short_run = sample(model, s);
  EXPECT_TRUE(short_run.converged);
  EXPECT_TRUE(short_run.sampling.reached_target);
  EXPECT_LT(short_run.kept, whole.kept);
  EXPECT_EQ(short_run.kept % 20, 0u);
  EXPECT_EQ(short_run.draws.draws, short_run.kept);
  EXPECT_FALSE(short_run.cancelled);
  for (const SummaryRow& row : short_run.summary) {
    EXPECT_GE(row.statistics.ess_bulk, 400) << row.name;
    EXPECT_GE(row.statistics.ess_tail, 400) << row.name;
    EXPECT_LT(row.statistics.rhat_nested, 1.01) << row.name;
  }
  expect_same_draws(whole, short_run, short_run.kept);
}

TEST(TargetEss, more_draws_for_more_and_no_more_than_allowed) {
  const Model model = builtin_model("eight_schools");
  Settings s = settings();
  s.sampling.target_ess = 20000;
  const Result more = sample(model, s);
  EXPECT_GT(more.kept, 20u);
  s.sampling.target_ess = 1e9;
  s.sampling.draws = 70;
  const Result all = sample(model, s);
  EXPECT_EQ(all.kept, 70u);
  EXPECT_FALSE(all.sampling.reached_target);
}

// Chains of random-walk Metropolis in ten dimensions are slow: 1024 of them agree, with precise sds and an ESS of 2100,
// before each has made three draws that do not depend on its start.
TEST(TargetEss, waits_for_each_chain) {
  const Model model = builtin_model("normal");
  Settings s = settings();
  s.sampler = "metropolis";
  s.chains = 1024;
  for (s.seed = 1; s.seed <= 4; ++s.seed) {
    const Result result = sample(model, s);
    EXPECT_TRUE(result.sampling.reached_target);
    for (const SummaryRow& row : result.summary) {
      EXPECT_GE(row.statistics.ess_bulk, 3 * 1024) << row.name << ", seed " << s.seed;
      EXPECT_GE(row.statistics.ess_tail, 3 * 1024) << row.name << ", seed " << s.seed;
    }
  }
}

// A run goes on while its verdict would warn of an sd that more draws make precise. The second coordinate of the banana
// has a tail: after 40 draws of 256 chains its sd is off by more than 5 % for one seed of three.
TEST(TargetEss, waits_for_sds) {
  const Model model = builtin_model("banana");
  Settings s = settings();
  for (s.seed = 1; s.seed <= 8; ++s.seed) {
    const Result result = sample(model, s);
    EXPECT_TRUE(result.sampling.reached_target);
    for (const SummaryRow& row : result.summary)
      EXPECT_LE(row.statistics.mcse_sd, 0.05 * row.statistics.sd) << row.name << ", seed " << s.seed;
  }
}

// Four densities exp(-(1 + x^2)^0.18), whose kurtosis is several hundred: errors of sds fall slowly. A run that sees
// after 80 draws that more than 1.5 times its limit of 90 would be wanted ends there, with the warning that it would
// have had.
TEST(TargetEss, gives_up_on_sds_that_are_out_of_reach) {
  CompiledDensity heavy;
  heavy.dimension = 4;
  heavy.gradient_values = 4;
  heavy.value_and_gradient = [](const double* q, double* gradient) {
    double value = 0;
    for (int i = 0; i < 4; ++i) {
      const double square = 1 + q[i] * q[i], power = std::pow(square, 0.18);
      gradient[i] = -0.36 * q[i] / square * power;
      value -= power;
    }
    return value;
  };
  const Model model(heavy);
  Settings s = settings();
  s.sampling.draws = 90;
  s.sampling.target_ess = 400;
  int given_up = 0;
  for (s.seed = 1; s.seed <= 12; ++s.seed) {
    const Result result = sample(model, s);
    if (result.sampling.reached_target || result.kept == 90) continue;
    ++given_up;
    EXPECT_EQ(result.kept, 80u);
    EXPECT_FALSE(result.cancelled);
    EXPECT_TRUE(result.converged);
    double largest = 0;
    for (const SummaryRow& row : result.summary) {
      EXPECT_GE(row.statistics.ess_bulk, 400);
      largest = std::max(largest, row.statistics.mcse_sd / row.statistics.sd);
    }
    EXPECT_GT(largest, 0.05 * std::sqrt(1.5 * 90 / 80));
    EXPECT_NE(result.verdict().text().find("Sd: not precise for "), std::string::npos);
  }
  EXPECT_GE(given_up, 3);
}

// The defaults are those that are documented.
TEST(TargetEss, of_a_run_of_which_nothing_is_said) {
  const Model model = builtin_model("normal");
  const Result plain = sample(model, {});
  EXPECT_EQ(plain.settings.chains, 256u);
  EXPECT_EQ(plain.settings.warmup.transitions, 300u);
  EXPECT_EQ(plain.settings.warmup.end, WarmupEnd::settled);
  EXPECT_EQ(plain.settings.sampling.target_ess, 400);
  EXPECT_EQ(plain.settings.sampling.draws, 1600u);
  EXPECT_LT(plain.warmup.transitions, 300u);
  EXPECT_EQ(plain.kept, 20u);
  EXPECT_TRUE(plain.sampling.reached_target);
  Settings s;
  s.chains = 256;
  s.warmup.transitions = 300;
  s.warmup.end = WarmupEnd::settled;
  s.sampling.draws = 1600;
  s.sampling.target_ess = 400;
  expect_same_draws(plain, sample(model, s), 20);
}

TEST(TargetEss, draws_and_warmup_that_are_given_are_what_is_done) {
  Settings s = settings();
  s.sampling.draws = 37;
  s.warmup.transitions = 50;
  const Result r = sample(builtin_model("normal"), s);
  EXPECT_EQ(r.kept, 37u);
  EXPECT_EQ(r.warmup.transitions, 50u);
  EXPECT_EQ(r.settings.warmup.end, WarmupEnd::fixed);
  EXPECT_FALSE(r.settings.sampling.target_ess);
}

TEST(TargetEss, is_for_chains_that_leave_their_target_invariant_and_keep_draws) {
  Settings s = settings();
  s.sampling.draws.reset();
  s.chains = 4096;
  s.output.keep_draws = false;
  const Result streamed = sample(builtin_model("normal"), s);
  EXPECT_FALSE(streamed.settings.sampling.target_ess);
  EXPECT_EQ(streamed.kept, 100u);
  s.output.keep_draws = true;
  s.sampler = "sgld";
  s.sampling.schedule = StepSchedule{1e-3, 1, 0.55};
  EXPECT_FALSE(sample(builtin_model("logistic_regression"), s).settings.sampling.target_ess);
}

// Without superchains nothing tells whether starts are forgotten.
TEST(WarmupEnd, has_its_length_for_few_chains_that_have_arrived) {
  Settings s = settings();
  s.warmup.transitions.reset();
  s.chains = 8;
  const Result r = sample(builtin_model("normal"), s);
  EXPECT_EQ(r.warmup.transitions, 300u);
  EXPECT_EQ(r.settings.warmup.end, WarmupEnd::arrived);
}

TEST(TargetEss, needs_draws) {
  Settings s = settings();
  s.sampling.target_ess = 400;
  s.output.keep_draws = false;
  EXPECT_THROW(sample(builtin_model("normal"), s), BadInput);
}

TEST(WarmupEnd, settles_early_at_the_same_place_for_any_threads) {
  const Model model = builtin_model("logistic_regression");
  Settings s = settings();
  s.sampling.draws = 30;
  s.warmup.transitions = 300;
  s.warmup.end = WarmupEnd::settled;
  s.threads = 1;
  const Result one = sample(model, s);
  s.threads = 3;
  const Result three = sample(model, s);
  EXPECT_LT(one.warmup.transitions, *s.warmup.transitions);
  EXPECT_GE(one.warmup.transitions, *s.warmup.transitions / 10);
  EXPECT_EQ(one.warmup.transitions, three.warmup.transitions);
  EXPECT_EQ(one.warmup.tuning[0].step_size, three.warmup.tuning[0].step_size);
  expect_same_draws(one, three, 30);
  s.warmup.end = WarmupEnd::fixed;
  EXPECT_EQ(sample(model, s).warmup.transitions, *s.warmup.transitions);
}

// Chains of the funnel with constant masses take long to forget where they started.
TEST(WarmupEnd, does_not_settle_while_starts_show) {
  Settings s = settings();
  s.sampling.metric = MetricKind::low_rank;
  s.chains = 1024;
  s.sampling.draws = 10;
  s.warmup.end = WarmupEnd::settled;
  const Result quick = sample(builtin_model("normal"), s), slow = sample(builtin_model("funnel"), s);
  EXPECT_GT(slow.warmup.transitions, quick.warmup.transitions);
}

}  // namespace
