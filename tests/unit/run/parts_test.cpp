// Parts of a run, which processes of their own sample, are put together to the run that was never in parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>

#include "manychain/manychain.hpp"
#include "sampling/parts.hpp"
#include "unit/run/curved_valleys.hpp"
#include "unit/run/memory_store.hpp"

namespace manychain {
namespace {

Settings usual() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 100;
  s.superchains = 4;
  s.warmup.transitions = 60;
  s.sampling.draws = 12;
  s.seed = 3;
  s.threads = 2;
  return s;
}

StoredRun warmed_up(const Model& model, const Settings& settings) {
  MemoryStore store(10);
  const Result result = sample(model, settings, store, {.warmup_only = true});
  EXPECT_EQ(result.kept, 0u);
  EXPECT_TRUE(result.summary.empty());
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(store.finished, 0);
  EXPECT_TRUE(stored_facts(store.run.state).sampling);
  EXPECT_EQ(stored_facts(store.run.state).draws, 0u);
  return store.run;
}

StoredRun part(const Model& model, const StoredRun& warm, std::size_t number, std::size_t of, Resumed how = {}) {
  MemoryStore store(10);
  how.part = RunPart{number, of};
  resume(model, warm, how, store);
  return store.run;
}

template <class Work>
std::string refused(const Work& work) {
  try {
    work();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "nothing was refused";
}
std::string merge_refused(const Model& model, std::vector<StoredRun> parts) {
  MemoryStore store(10);
  const std::string why = refused([&] { merge(model, std::move(parts), {}, store); });
  EXPECT_EQ(store.begun, 0);
  return why;
}

void expect_has(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

TEST(Parts, chains_are_dealt_whole) {
  for (const std::size_t chains : {1u, 2u, 7u, 64u, 100u, 256u, 1000u, 4096u})
    for (const std::size_t of : {1u, 2u, 3u, 7u, 16u, 100u}) {
      if (of > chains) {
        EXPECT_THROW(chains_of({1, of}, chains), BadInput);
        continue;
      }
      std::size_t next = 0, fewest = chains, most = 0;
      for (std::size_t k = 1; k <= of; ++k) {
        const ChainRange range = chains_of({k, of}, chains);
        EXPECT_EQ(range.first, next);
        EXPECT_GT(range.count, 0u);
        next += range.count;
        fewest = std::min(fewest, range.count);
        most = std::max(most, range.count);
      }
      EXPECT_EQ(next, chains);
      EXPECT_LE(most, 3 * fewest) << chains << " in " << of;
    }
  for (const std::size_t of : {1u, 2u, 3u, 5u, 7u, 64u}) {  // of three groups
    std::size_t next = 0;
    for (std::size_t k = 1; k <= of; ++k) {
      const ChainRange range = chains_of({k, of}, 384, 3);
      EXPECT_EQ(range.first, next);
      EXPECT_GT(range.count, 0u);
      next += range.count;
      if (of >= 3) {
        EXPECT_EQ(range.first / 128, (next - 1) / 128) << "it lies within a group";
      } else {
        EXPECT_EQ(range.count % 128, 0u) << "it has whole groups";
      }
    }
    EXPECT_EQ(next, 384u);
  }
  EXPECT_THROW(chains_of({0, 2}, 8), BadInput);
  EXPECT_THROW(chains_of({3, 2}, 8), BadInput);
}

TEST(Parts, twenty_random_cuts) {
  std::mt19937 random(7);
  for (const char* name : {"eight_schools_centered", "banana"}) {
    const Model model = builtin_model(name);
    const Settings settings = usual();
    const StoredRun warm = warmed_up(model, settings);
    MemoryStore unbroken(12);
    const Result whole = sample(model, settings, unbroken);
    for (int k = 0; k < 10; ++k) {
      const std::size_t of = 1 + random() % 100;
      std::vector<StoredRun> parts;
      for (std::size_t number = 1; number <= of; ++number)
        parts.push_back(part(model, warm, number, of, {.threads = 1}));
      std::shuffle(parts.begin(), parts.end(), random);
      MemoryStore store(1 + random() % 12);
      expect_same_run(merge(model, std::move(parts), {.threads = 1}, store), whole);
      expect_same_state(store.run.state, unbroken.run.state);
      EXPECT_EQ(store.finished, 1);
    }
  }
}

// All kinds of state for each chain are dealt: what necks have found, counters, given starting points.
TEST(Parts, of_a_run_with_necks_that_goes_on) {
  const Model model = builtin_model("eight_schools_centered");
  Settings s = usual();
  s.sampling.metric = MetricKind::hierarchical;
  s.superchains = 0;
  for (std::size_t i = 0; i < 100 * model.layout().dimension; ++i)
    s.warmup.initial_points.push_back(0.01 * static_cast<double>(i % 37));
  const StoredRun warm = warmed_up(model, s);
  std::vector<StoredRun> parts = parts_of(model, warm, {4});
  MemoryStore store(10), unbroken(10);
  merge(model, parts, {}, store);
  EXPECT_EQ(state_from(store.run.state).necks.looks.sums.terms.size(), 100u);
  s.sampling.draws = 40;
  const Result whole = sample(model, s, unbroken);
  expect_same_run(resume(model, store.run, {.draws = 40}, store), whole);
  expect_same_state(store.run.state, unbroken.run.state);
}

TEST(Parts, of_a_default_run_want_a_number_of_draws) {
  const Model model = builtin_model("normal");
  Settings s = usual();
  s.sampling.draws.reset();
  const StoredRun warm = warmed_up(model, s);
  expect_has(refused([&] { part(model, warm, 1, 2); }),
             "Settings::sampling.target_ess: a part of the chains cannot tell");
  std::vector<StoredRun> parts = {part(model, warm, 1, 2, {.draws = 9}), part(model, warm, 2, 2, {.draws = 9})};
  MemoryStore store(10);
  s.sampling.draws = 9;
  expect_same_run(merge(model, parts, {}, store), sample(model, s));
}

TEST(Parts, what_is_no_part_is_refused) {
  const Model model = builtin_model("normal");
  const Settings s = usual();
  const StoredRun warm = warmed_up(model, s);
  expect_has(refused([&] { part(model, warm, 3, 2); }), "part 3 of 2: parts are counted from 1");
  expect_has(refused([&] { part(model, warm, 1, 101); }), "101 parts are more than the 100 chains");
  MemoryStore begun(10, 1), drawn(10);
  EXPECT_THROW(sample(model, s, begun), Died);
  expect_has(refused([&] { part(model, begun.run, 1, 2); }), "before its warm-up had ended");
  sample(model, s, drawn);
  expect_has(refused([&] { part(model, drawn.run, 1, 2); }), "parts begin at the end of warm-up");
  expect_has(refused([&] { part(model, part(model, warm, 1, 2), 1, 2); }), "is part 1 of 2 of another one already");
}

TEST(Parts, what_does_not_belong_together_is_refused) {
  const Model model = builtin_model("normal");
  Settings s = usual();
  const StoredRun warm = warmed_up(model, s);
  s.seed = 4;
  const StoredRun other = warmed_up(model, s);
  const StoredRun one = part(model, warm, 1, 3), two = part(model, warm, 2, 3), three = part(model, warm, 3, 3);
  expect_has(merge_refused(model, {}), "there are no parts");
  expect_has(merge_refused(model, {three}), "of 3 parts 2 are missing: 1, 2");
  expect_has(merge_refused(model, {one, two}), "of 3 parts 1 is missing: 3");
  expect_has(merge_refused(model, {one, two, two, three}), "part 2 is there 2 times");
  expect_has(merge_refused(model, {one, two, part(model, other, 3, 3)}), "are of runs that differ");
  expect_has(merge_refused(model, {one, part(model, warm, 2, 2)}), "cut in two ways");
  expect_has(merge_refused(model, {one, warm}), "is no part");
  expect_has(merge_refused(model, {one, two, part(model, warm, 3, 3, {.draws = 13})}), "has 13: resume one of them");
  MemoryStore dead(10, 2);
  EXPECT_THROW(resume(model, warm, {.part = RunPart{3, 3}}, dead), Died);
  expect_has(merge_refused(model, {one, two, dead.run}), "part 3 of 3 has 10 of its 12 draws of each chain: resume it");
  StoredRun cut = three;
  cut.draws.float32.pop_back();
  expect_has(merge_refused(model, {one, two, cut}), "do not fit");
  expect_has(merge_refused(builtin_model("banana"), {one, two, three}), "the run is of model normal");
}

TEST(TimeLimit, ends_a_run_with_its_draws) {
  const Model model = builtin_model("eight_schools");
  Settings s = usual();
  s.output.keep_sample_stats = false;
  s.precision = Precision::double_precision;
  s.warmup.starts = Starts::uniform;
  s.sampling.step_size = 0.3;
  s.warmup.transitions = 20;
  // Four times what this machine takes to a few draws.
  s.sampling.draws = 20;
  const auto begin = std::chrono::steady_clock::now();
  MemoryStore few(2000);
  sample(model, s, few);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  s.sampling.draws = 1000000;
  s.time_limit = 0.2 + 4 * taken.count();
  MemoryStore store(2000);
  const Result part = sample(model, s, store);
  EXPECT_TRUE(part.cancelled);
  EXPECT_GT(part.kept, 0u);
  EXPECT_LT(part.kept, 1000000u);
  EXPECT_EQ(stored_facts(store.run.state).draws, part.kept);
  // A run that goes on has a limit of its own, or none.
  const Result more = resume(model, store.run, {.more = 10}, store);
  EXPECT_FALSE(more.cancelled);
  EXPECT_EQ(more.kept, part.kept + 10);
}

TEST(TimeLimit, that_is_over_before_the_first_draw) {
  Settings s = usual();
  s.time_limit = 1e-9;
  s.precision = Precision::double_precision;
  MemoryStore store(10);
  try {
    sample(builtin_model("normal"), s, store);
    FAIL() << "a run without a draw has ended well";
  } catch (const EndedEarly& error) {
    expect_has(error.what(), "Settings::time_limit: 1e-09 seconds were over before the first draw");
  }
  s.time_limit.reset();
  expect_same_run(resume(builtin_model("normal"), store.run, {}, store), sample(builtin_model("normal"), s));
  s.time_limit = -1;
  EXPECT_THROW(sample(builtin_model("normal"), s), BadInput);
}

// A precision that was not chosen whole is none to go on with.
TEST(TimeLimit, that_is_over_before_the_precision_is_chosen) {
  Settings s = usual();
  s.time_limit = 1e-9;
  MemoryStore store(10);
  EXPECT_THROW(sample(builtin_model("normal"), s, store), EndedEarly);
  EXPECT_EQ(store.appended, 0);
}

std::atomic<std::size_t> evaluations{0};

int counted(std::size_t n, const double* q, double* gradient, double* log_density, void*) {
  ++evaluations;
  curved_valleys(n, q, gradient, log_density);
  return 0;
}

TEST(TimeLimit, ends_the_search_for_starts) {
  CallbackDensity density;
  density.dimension = 10;
  density.function = counted;
  const Model model(density);
  Settings s = usual();
  s.warmup.starts = Starts::pathfinder;
  s.warmup.transitions = 1;
  s.sampling.draws = 1;
  s.precision = Precision::double_precision;
  s.time_limit = 1e-9;
  MemoryStore store(10);
  EXPECT_THROW(sample(model, s, store), EndedEarly);
  const std::size_t until_the_end = evaluations.exchange(0);
  s.time_limit.reset();
  EXPECT_GT(sample(model, s).warmup.starts.evaluations, 1000u);
  EXPECT_LT(until_the_end, 300u) << "chains are put at points, and no path is followed";
}

}  // namespace
}  // namespace manychain
