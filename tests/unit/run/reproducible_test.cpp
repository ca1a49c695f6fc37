// A run is a function of model, data, settings and seed: nothing else changes a bit of a draw.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>

#include "manychain/run/engine.hpp"

namespace {

using namespace manychain;

struct KindOfRun {
  const char* model;
  const char* sampler;
  Precision precision;
};

class Reproducible : public testing::TestWithParam<KindOfRun> {
 protected:
  Model model() const { return builtin_model(GetParam().model); }
  Settings settings() const {
    Settings s;
    s.backend = Backend::cpu;
    s.sampler = GetParam().sampler;
    s.precision = GetParam().precision;
    s.chains = 300;  // more than one partial sum of chains, no whole number of packs
    s.warmup.transitions = 60;
    s.sampling.draws = 12;
    s.seed = 5;
    s.threads = 2;
    return s;
  }
};

void expect_reproduced(const Draws& a, const Draws& b) {
  EXPECT_EQ(a.draws, b.draws);
  EXPECT_EQ(a.variables, b.variables);
  EXPECT_EQ(a.chains, b.chains);
  EXPECT_TRUE(a.float32 == b.float32);
  EXPECT_TRUE(a.float64 == b.float64);
}

void expect_reproduced(const Result& a, const Result& b) {
  EXPECT_EQ(a.warmup.tuning[0].step_size, b.warmup.tuning[0].step_size);
  EXPECT_EQ(a.warmup.tuning[0].inverse_metric, b.warmup.tuning[0].inverse_metric);
  EXPECT_EQ(a.gradients, b.gradients);
  EXPECT_EQ(a.sampling.leapfrogs, b.sampling.leapfrogs);
  EXPECT_EQ(a.sampling.acceptance_rate, b.sampling.acceptance_rate);
  expect_reproduced(a.draws, b.draws);
}

TEST_P(Reproducible, for_any_number_of_threads) {
  Settings s = settings();
  s.threads = 1;
  const Result one = sample(model(), s);
  ASSERT_FALSE(one.draws.empty());
  for (const int threads : {2, 3, 8}) {
    s.threads = threads;
    const Result more = sample(model(), s);
    expect_reproduced(one, more);
    expect_reproduced(one.sample_stats, more.sample_stats);
  }
}

// A run gives its draws away if its chains fill whole packs of memory; else it copies them.
TEST(Draws, are_the_same_given_away_or_copied) {
  Settings s;
  s.backend = Backend::cpu;
  s.sampling.step_size = 0.5;
  s.chains = 128;
  s.superchains = 0;
  s.warmup.transitions = 5;
  s.sampling.draws = 300;  // large enough to be given away
  s.seed = 6;
  const Result given = sample(builtin_model("normal"), s);
  s.chains = 120;
  const Result copied = sample(builtin_model("normal"), s);
  for (const auto of : {&Result::draws, &Result::sample_stats}) {
    const Draws &a = given.*of, &b = copied.*of;
    ASSERT_EQ(a.float32.size(), a.draws * a.variables * 128);
    ASSERT_EQ(b.float32.size(), b.draws * b.variables * 120);
    for (std::size_t row = 0; row < b.draws * b.variables; ++row) {
      for (std::size_t c = 0; c < 120; ++c) ASSERT_EQ(a.float32[row * 128 + c], b.float32[row * 120 + c]) << row;
    }
  }
}

// So many partial sums of chains that threads share these, too.
TEST(ManyPartialSums, are_the_same_for_any_number_of_threads) {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 9000;
  s.warmup.transitions = 40;
  s.sampling.draws = 2;
  s.seed = 5;
  s.threads = 1;
  const Result one = sample(builtin_model("normal"), s);
  s.threads = 3;
  expect_reproduced(one, sample(builtin_model("normal"), s));
}

TEST_P(Reproducible, for_any_block_length) {
  Settings s = settings();
  const Result usual = sample(model(), s);
  for (const std::size_t inverse : {std::size_t{1}, std::size_t{1000000000}}) {
    s.blocks_per_second = inverse;
    expect_reproduced(usual, sample(model(), s));
  }
}

TEST_P(Reproducible, whatever_is_recorded) {
  Settings s = settings();
  const Result all = sample(model(), s);
  s.output.keep_sample_stats = false;
  const Result draws_alone = sample(model(), s);
  expect_reproduced(all, draws_alone);
  EXPECT_TRUE(draws_alone.sample_stats.empty());

  s.output.keep_draws = false;
  const Result moments = sample(model(), s);
  EXPECT_TRUE(moments.draws.empty());
  EXPECT_EQ(moments.warmup.tuning[0].step_size, all.warmup.tuning[0].step_size);
  EXPECT_EQ(moments.sampling.acceptance_rate, all.sampling.acceptance_rate);
  const double tolerance = GetParam().precision == Precision::single_precision ? 1e-5 : 1e-12;
  for (std::size_t i = 0; i < all.summary.size(); ++i) {
    const VariableSummary &a = all.summary[i].statistics, &b = moments.summary[i].statistics;
    EXPECT_NEAR(a.mean, b.mean, tolerance * (a.sd + std::fabs(a.mean)));
    EXPECT_NEAR(a.sd / b.sd, 1, 10 * tolerance);
  }
}

TEST_P(Reproducible, thinned_draws_are_every_second_draw) {
  Settings s = settings();
  s.sampling.draws = 24;
  const Result every = sample(model(), s);
  s.sampling.draws = 12;
  s.sampling.thin = 2;
  const Result second = sample(model(), s);
  for (std::size_t d = 0; d < 12; ++d) {
    EXPECT_EQ(second.sampling.leapfrogs.empty() ? 0 : second.sampling.leapfrogs[d],
              every.sampling.leapfrogs.empty() ? 0 : every.sampling.leapfrogs[2 * d + 1]);
    for (std::size_t i = 0; i < second.draws.variables; ++i)
      for (std::size_t c = 0; c < s.chains; ++c)
        ASSERT_EQ(second.draws(d, i, c), every.draws(2 * d + 1, i, c)) << d << " " << i << " " << c;
  }
  EXPECT_EQ(second.gradients, every.gradients);
}

TEST_P(Reproducible, a_chain_is_the_same_among_many_with_the_tuning_given) {
  Settings s = settings();
  s.sampling.step_size = 0.3;
  s.sampling.trajectory = 1.5;
  s.warmup.transitions = 3;
  s.sampling.draws = 3;
  s.chains = 100;
  const Result few = sample(model(), s);
  s.chains = 10000;
  const Result many = sample(model(), s);
  for (std::size_t d = 0; d < *s.sampling.draws; ++d)
    for (std::size_t i = 0; i < few.draws.variables; ++i)
      for (std::size_t c = 0; c < 100; ++c) ASSERT_EQ(few.draws(d, i, c), many.draws(d, i, c));
}

TEST_P(Reproducible, a_cancelled_run_keeps_a_prefix) {
  Settings s = settings();
  s.sampling.draws = 200;
  const Result whole = sample(model(), s);
  std::atomic<bool> cancel = false;
  s.cancel = &cancel;
  s.blocks_per_second = 1000000000;  // one transition per block
  s.progress = [&](const Progress& p) { cancel = p.transitions >= *s.warmup.transitions + 7; };
  const Result part = sample(model(), s);
  EXPECT_TRUE(part.cancelled);
  ASSERT_EQ(part.draws.draws, 7u);
  for (std::size_t d = 0; d < 7; ++d)
    for (std::size_t i = 0; i < part.draws.variables; ++i)
      for (std::size_t c = 0; c < s.chains; ++c) ASSERT_EQ(part.draws(d, i, c), whole.draws(d, i, c));
}

TEST_P(Reproducible, another_seed_is_another_run) {
  Settings s = settings();
  const Result a = sample(model(), s);
  s.seed = 6;
  const Result b = sample(model(), s);
  std::size_t equal = 0;
  for (std::size_t c = 0; c < s.chains; ++c) equal += a.draws(0, 0, c) == b.draws(0, 0, c);
  EXPECT_LT(equal, 3u);
}

INSTANTIATE_TEST_SUITE_P(All, Reproducible,
                         testing::Values(KindOfRun{"normal", "hmc", Precision::single_precision},
                                         KindOfRun{"normal", "metropolis", Precision::single_precision},
                                         KindOfRun{"eight_schools", "hmc", Precision::single_precision},
                                         KindOfRun{"eight_schools", "hmc", Precision::double_precision},
                                         KindOfRun{"ill_conditioned_normal", "hmc", Precision::single_precision},
                                         KindOfRun{"eight_schools", "metropolis", Precision::double_precision}),
                         [](const auto& instance) {
                           return std::string(instance.param.model) + "_" + instance.param.sampler +
                                  (instance.param.precision == Precision::single_precision ? "_single" : "_double");
                         });

// The lengths of blocks without the clock: any cut of the same transitions, adapting ones included.
TEST(EngineBlocks, any_cut_gives_the_same_state) {
  Settings s;
  s.chains = 300;
  s.sampling.draws = 6;
  const Model model = builtin_model("eight_schools");
  const auto run = [&](const std::vector<std::uint32_t>& cuts) {
    const auto engine = make_cpu_engine(model, s);
    engine->initialise({}, 100);
    const AdaptationPlan plan{100, 50, 0.8, true};
    const WarmupPhase phase{.transitions = 12, .harmonic = true, .leapfrog_limit = 50};
    GroupTuning tuning{.step_size = 0.1, .trajectory = 2, .leapfrog_limit = 50};
    engine->adapter()->begin(phase, plan, 0, tuning);
    engine->set_tuning(0, tuning);
    engine->send_adaptation();
    Block block;
    block.accumulate_window = true;
    std::uint64_t evaluations = 0;
    for (const std::uint32_t count : cuts) {
      block.count = count;
      evaluations += engine->advance(block, 1);
      block.first_transition += count;
    }
    std::vector<double> state = {static_cast<double>(evaluations), engine->tuning(0).step_size};
    for (const MomentSum& m : engine->window_moments(0, 12)) state.insert(state.end(), {m.count, m.mean, m.m2});
    for (std::size_t c = 0; c < s.chains; ++c)
      for (double x : engine->position(c)) state.push_back(x);
    return state;
  };
  const std::vector<double> whole = run({12});
  EXPECT_EQ(whole, run({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(whole, run({5, 7}));
}

}  // namespace
