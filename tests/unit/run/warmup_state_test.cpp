// A run that dies in warm-up goes on there, and takes no transition again.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "manychain/manychain.hpp"
#include "sampling/ranked.hpp"
#include "sampling/run_state.hpp"
#include "unit/run/in_ranks.hpp"
#include "unit/run/memory_store.hpp"

namespace manychain {
namespace {

std::atomic<std::size_t> evaluations{0};

/// Normals of three scales.
int counted(std::size_t n, const double* q, double* gradient, double* log_density, void*) {
  ++evaluations;
  *log_density = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double precision = i == 0 ? 1 : i == 1 ? 0.01 : 25;
    *log_density -= 0.5 * precision * q[i] * q[i];
    gradient[i] = -precision * q[i];
  }
  return 0;
}

Model counting() {
  CallbackDensity density;
  density.dimension = 3;
  density.function = counted;
  return Model(density);
}

Settings usual() {
  Settings s;
  s.backend = Backend::cpu;
  s.warmup.starts = Starts::uniform;
  s.chains = 32;
  s.superchains = 0;
  s.warmup.transitions = 120;
  s.sampling.draws = 5;
  s.seed = 6;
  s.threads = 1;
  s.blocks_per_second = 1000000000;  // a block has one transition
  return s;
}

std::size_t counted_by(const std::function<void()>& work) {
  const std::size_t before = evaluations;
  work();
  return evaluations - before;
}

TEST(WarmupState, no_transition_is_taken_twice) {
  const Model model = counting();
  const Settings s = usual();
  Result whole, broken;
  MemoryStore unbroken(5), store(5);
  const std::size_t once = counted_by([&] { whole = sample(model, s, unbroken, {1e9}); });
  int resumes = 0;
  const std::size_t all = counted_by([&] { broken = run_that_dies(model, s, 10, 0, store, &resumes); });
  expect_same_run(broken, whole);
  expect_same_state(store.run.state, unbroken.run.state);
  EXPECT_GE(resumes, 10);
  // Each process evaluates the starting points, has at most a block that is lost, and looks at the model when it ends.
  Settings none = s;
  none.warmup.transitions = 0;
  none.sampling.draws = 1;
  none.sampling.step_size = 0.1;
  none.sampling.trajectory = 0.1;
  MemoryStore first(5);
  const std::size_t start = counted_by([&] { sample(model, none, first, {1e9}); });
  const std::size_t transition = whole.gradients / (whole.warmup.transitions + 5) + 1;
  EXPECT_LE(all, once + static_cast<std::size_t>(resumes) * (start + 4 * transition));
  EXPECT_GT(static_cast<std::size_t>(resumes) * once / 2, all) << "runs that begin anew would take more";
}

/// A run that has died in warm-up.
StoredRun in_warmup(const Model& model, int appends) {
  MemoryStore store(5, appends);
  EXPECT_THROW(sample(model, usual(), store, {0}), Died);
  EXPECT_TRUE(stored_facts(store.run.state).in_warmup);
  EXPECT_FALSE(stored_facts(store.run.state).sampling);
  return store.run;
}

// Any number of ranks goes on in the middle of warm-up, or none.
TEST(WarmupState, of_ranks_is_that_of_all_chains) {
  Settings s = usual();
  s.chains = 40;  // a pack that is not full
  s.warmup.adaptation = "chees";
  const Model model = builtin_model("normal");
  const Result whole = sample(model, s);
  MemoryStore store(5, 40), alone(5, 40);
  const auto in_three = [&](Ranks& ranks) {
    sample_in_ranks(model, s, ranks, ranks.rank() == 0 ? &store : nullptr, {0});
  };
  for (const std::exception_ptr& thrown : in_ranks(3, in_three)) EXPECT_TRUE(thrown);
  EXPECT_THROW(sample(model, s, alone, {0}), Died);
  const StateOfRun one = state_from(store.run.state), other = state_from(alone.run.state);
  EXPECT_TRUE(one.warmup.answers == other.warmup.answers);
  EXPECT_TRUE(one.warmup.image.memory == other.warmup.image.memory);
  EXPECT_GT(one.warmup.answers.size(), 0u);
  const StoredRun died = store.run;
  store.live(MemoryStore::never);
  for (const int size : {2, 5}) {
    Result of_first;
    MemoryStore goes_on(5);
    const auto go_on = [&](Ranks& ranks) {
      const bool first = ranks.rank() == 0;
      const Result result = resume_in_ranks(
          model, first ? died : StoredRun(), {}, ranks, [](const Model&, Settings& mine) { mine.threads = 1; },
          first ? &goes_on : nullptr);
      if (first) of_first = result;
    };
    for (const std::exception_ptr& thrown : in_ranks(size, go_on)) EXPECT_EQ(what(thrown), "");
    expect_same_run(of_first, whole);
  }
  expect_same_run(resume(model, died, {}, store), whole);
}

TEST(WarmupState, what_is_damaged_is_refused) {
  const Model model = counting();
  const StoredRun run = in_warmup(model, 40);
  for (const std::size_t left : {1u, 3u, 4u, 11u, 100u}) {
    StateOfRun state = state_from(run.state);
    state.warmup.answers.resize(left);
    StoredRun cut = run;
    cut.state = to_bytes(state);
    MemoryStore store(5);
    EXPECT_THROW(resume(model, cut, {}, store), BadInput) << left;
  }
  StateOfRun state = state_from(run.state);
  state.warmup.image.memory.pop_back();
  StoredRun cut = run;
  cut.state = to_bytes(state);
  MemoryStore store(5);
  EXPECT_THROW(resume(model, cut, {}, store), BadInput);
}

TEST(WarmupState, does_not_depend_on_who_looks_on) {
  const Model model = counting();
  const Result whole = sample(model, usual());
  StoredRun run = in_warmup(model, 50);
  MemoryStore store(5);
  int seen = 0;
  Resumed resumed;
  resumed.progress = [&](const Progress&) { ++seen; };
  expect_same_run(resume(model, run, resumed, store), whole);
  EXPECT_GT(seen, 0);
}

TEST(WarmupState, no_part_of_it_is_sampled) {
  const Model model = counting();
  MemoryStore store(5);
  Resumed resumed;
  resumed.part = RunPart{1, 2};
  EXPECT_THROW(resume(model, in_warmup(model, 50), resumed, store), BadInput);
}

}  // namespace
}  // namespace manychain
