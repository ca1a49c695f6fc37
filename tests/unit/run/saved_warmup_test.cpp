// Draws of warm-up: those of the chains as they go, whatever is stored, killed, split or shared, at no cost to the
// draws behind them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "manychain/manychain.hpp"
#include "manychain/model.hpp"
#include "sampling/ranked.hpp"
#include "unit/run/in_ranks.hpp"
#include "unit/run/memory_store.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

Settings with_warmup() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 100;
  s.superchains = 4;
  s.warmup.transitions = 70;
  s.sampling.draws = 12;
  s.seed = 3;
  s.threads = 1;
  s.output.save_warmup = true;
  return s;
}

void expect_same_warmup(const MemoryStore& store, const Result& whole) {
  expect_same_draws(store.warmup, whole.warmup.draws);
  expect_same_draws(store.warmup_stats, whole.warmup.sample_stats);
}

// With a step size that is given nothing adapts: a run without a warm-up draws what this one goes over in its own.
TEST(SavedWarmup, has_the_draws_of_the_same_transitions) {
  Settings s = with_warmup();
  s.sampling.step_size = 0.3;
  s.sampling.trajectory = 1.5;
  const Model model = builtin_model("eight_schools");
  for (const std::size_t thin : {1, 3}) {
    s.sampling.thin = thin;
    const Result saved = sample(model, s);
    Settings sampled = s;
    sampled.output.save_warmup = false;
    sampled.warmup.transitions = 0;
    sampled.sampling.draws = 70 / thin;
    const Result plain = sample(model, sampled);
    expect_same_draws(saved.warmup.draws, plain.draws);
    expect_same_draws(saved.warmup.sample_stats, plain.sample_stats);
  }
}

TEST(SavedWarmup, changes_no_draw_and_does_not_depend_on_blocks) {
  for (const std::size_t interval : {1, 7}) {
    Settings s = with_warmup();
    s.warmup.adaptation_interval = interval;
    const Model model = builtin_model("eight_schools");
    const Result saved = sample(model, s);
    EXPECT_EQ(saved.warmup.draws.draws, saved.warmup.transitions);
    EXPECT_EQ(saved.warmup.draws.variables, saved.layout.outputs);
    Settings without = s;
    without.output.save_warmup = false;
    const Result plain = sample(model, without);
    expect_same_run(saved, plain);
    EXPECT_TRUE(plain.warmup.draws.empty());
    // Room for one draw, and a look up after each transition.
    s.sampling.draws = 1;
    s.blocks_per_second = 1000000000;
    const Result in_pieces = sample(model, s);
    expect_same_draws(in_pieces.warmup.draws, saved.warmup.draws);
    expect_same_draws(in_pieces.warmup.sample_stats, saved.warmup.sample_stats);
  }
}

TEST(SavedWarmup, of_a_run_that_dies_is_whole) {
  Settings s = with_warmup();
  s.sampling.thin = 2;
  const Model model = builtin_model("eight_schools");
  const Result whole = sample(model, s);
  MemoryStore unbroken(11), broken(5), few(4);
  expect_same_run(sample(model, s, unbroken, {1e9}), whole);
  expect_same_warmup(unbroken, whole);
  s.blocks_per_second = 1000000000;
  int resumes = 0;
  expect_same_run(run_that_dies(model, s, 9, 0, broken, &resumes), whole);
  EXPECT_GE(resumes, 5);
  expect_same_warmup(broken, whole);
  expect_same_state(broken.run.state, unbroken.run.state);
  few.readable = true;
  expect_same_run(with_draws(run_that_dies(model, s, 7, {.seconds = 1e9, .memory = 1}, few), few), whole);
  expect_same_warmup(few, whole);
}

TEST(SavedWarmup, goes_to_parts_and_comes_back) {
  const Settings s = with_warmup();
  const Model model = builtin_model("eight_schools");
  const Result whole = sample(model, s);
  MemoryStore warm(9), together(7);
  sample(model, s, warm, {.warmup_only = true});
  expect_same_warmup(warm, whole);
  std::vector<StoredRun> parts = parts_of(model, warm.run, {3});
  EXPECT_LT(parts[0].warmup->shape().chains, s.chains);
  expect_same_run(merge(model, parts, {}, together), whole);
  expect_same_warmup(together, whole);
  parts[1].warmup = nullptr;
  MemoryStore refused(7);
  EXPECT_THROW(merge(model, parts, {}, refused), BadInput);
  EXPECT_EQ(refused.begun, 0);
}

TEST(SavedWarmup, is_the_same_in_ranks) {
  const Settings s = with_warmup();
  const Model model = builtin_model("eight_schools");
  const Result whole = sample(model, s);
  MemoryStore store(9);
  in_ranks(3, [&](Ranks& ranks) {
    const Result stored = sample_in_ranks(model, s, ranks, ranks.rank() == 0 ? &store : nullptr);
    EXPECT_TRUE(stored.warmup.draws.empty());
    const Result kept = sample_in_ranks(model, s, ranks);
    expect_same_draws(kept.warmup.draws, whole.warmup.draws);
    expect_same_draws(kept.warmup.sample_stats, whole.warmup.sample_stats);
  });
  expect_same_warmup(store, whole);
}

/// A normal far from where its chains start, with an output that is not finite there.
template <class Number>
struct FarRoot {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += normal(x, 0, 1);
    target.derived("root", sqrt(25 - x * x));
  }
};

TEST(SavedWarmup, says_nothing_of_chains_whose_outputs_were_not_finite) {
  Settings s = with_warmup();
  s.precision = Precision::single_precision;
  s.superchains = 0;
  s.warmup.initial_points.assign(s.chains, 30);
  const Model model = model_of<FarRoot, "hmc">();
  const Result saved = sample(model, s);
  bool found = false;
  for (const float x : saved.warmup.draws.float32) found = found || !std::isfinite(x);
  EXPECT_TRUE(found) << "the test has no power";
  EXPECT_TRUE(saved.sampling.nonfinite_chains.empty());
}

TEST(SavedWarmup, is_refused_where_nothing_keeps_it) {
  Settings s = with_warmup();
  s.output.keep_draws = false;
  EXPECT_THROW(sample(builtin_model("normal"), s), BadInput);
  s = with_warmup();
  MemoryStore checkpoint(9);
  checkpoint.states_alone = true;
  EXPECT_THROW(sample(builtin_model("normal"), s, checkpoint), BadInput);
}

}  // namespace
}  // namespace manychain
