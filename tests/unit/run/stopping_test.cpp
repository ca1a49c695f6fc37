// Runs that end when they are done: at the same place whatever runs them, and with the draws of a longer run.
#include <gtest/gtest.h>

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
  const Result whole = sample(model, s);
  s.target_ess = 400;
  const Result short_run = sample(model, s);
  EXPECT_TRUE(short_run.converged);
  EXPECT_TRUE(short_run.reached_target);
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
  s.target_ess = 20000;
  const Result more = sample(model, s);
  EXPECT_GT(more.kept, 20u);
  s.target_ess = 1e9;
  s.draws = 70;
  const Result all = sample(model, s);
  EXPECT_EQ(all.kept, 70u);
  EXPECT_FALSE(all.reached_target);
}

TEST(TargetEss, needs_draws) {
  Settings s = settings();
  s.target_ess = 400;
  s.keep_draws = false;
  EXPECT_THROW(sample(builtin_model("normal"), s), BadInput);
}

TEST(WarmupEnd, settles_early_at_the_same_place_for_any_threads) {
  const Model model = builtin_model("logistic_regression");
  Settings s = settings();
  s.draws = 30;
  s.warmup_end = WarmupEnd::settled;
  s.threads = 1;
  const Result one = sample(model, s);
  s.threads = 3;
  const Result three = sample(model, s);
  EXPECT_LT(one.warmup, s.warmup);
  EXPECT_GE(one.warmup, s.warmup / 10);
  EXPECT_EQ(one.warmup, three.warmup);
  EXPECT_EQ(one.step_size, three.step_size);
  expect_same_draws(one, three, 30);
  s.warmup_end = WarmupEnd::fixed;
  EXPECT_EQ(sample(model, s).warmup, s.warmup);
}

// Chains of the funnel take long to forget where they started.
TEST(WarmupEnd, does_not_settle_while_starts_show) {
  Settings s = settings();
  s.chains = 1024;
  s.draws = 10;
  s.warmup_end = WarmupEnd::settled;
  const Result quick = sample(builtin_model("normal"), s), slow = sample(builtin_model("funnel"), s);
  EXPECT_GT(slow.warmup, quick.warmup);
}

}  // namespace
