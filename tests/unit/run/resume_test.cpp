// Runs that die and go on are, bit by bit, runs that did not: for every sampler, in both precisions.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "manychain/manychain.hpp"
#include "sampling/ranked.hpp"
#include "unit/run/in_ranks.hpp"
#include "unit/run/memory_store.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

/// Three labels of a line of spins, and a height that depends on their sum.
template <class Number, bool all>
struct SpinsOf {
  static constexpr int dimension = 4;
  using samplers = SamplerList<Gibbs<>, Gibbs<RandomScan>, ParallelGibbs, HmcThenGibbs>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto k = target.integers("k", Size<3>{}, 0, 1);
    auto height = target.real("height");
    target += normal(height, k[0] + k[1] + k[2], 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.components(0, Size<3>{}, [](int i, const auto& q) {
      return bernoulli_logit_distribution(q[3] - q[(i + 1) % 3] - q[(i + 2) % 3] - 0.5);
    });
    if constexpr (all) visitor.component(3, [](const auto& q) { return normal_distribution(q[0] + q[1] + q[2], 1); });
  }
};
template <class Number>
struct Spins : SpinsOf<Number, true> {};
template <class Number>
struct SpinsAlone : SpinsOf<Number, false> {};

/// A pair, each of the two given the other, for samplers that are put together.
template <class Number>
struct Pair {
  static constexpr int dimension = 2;
  using samplers = SamplerList<Sequence<Hmc<>, Gibbs<RandomScan>>, Mixture<Metropolis<>, Gibbs<>>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto y = target.real("y");
    target += normal(x, 0, 1);
    target += normal(y, x, 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(0, [](const auto& q) { return normal_distribution(q[1] / 2, 0.70710678); });
    visitor.component(1, [](const auto& q) { return normal_distribution(q[0], 1); });
  }
};

/// A normal with all that samplers without gradients ask for.
template <class Number>
struct Proposing {
  static constexpr int dimension = 1;
  static constexpr bool independent_proposal = true;
  using samplers = SamplerList<MetropolisHastings<>, Independence, Importance, Rejection, Direct>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += normal(target.real("x"), 0, 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return normal_distribution(0, 1.5); });
  }
  MANYCHAIN_HD double log_envelope() const { return 0.5; }  // log 1.5 is 0.405
  template <class Visitor>
  MANYCHAIN_HD void draw(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return normal_distribution(0, 1); });
  }
};

struct Case {
  const char* name;
  const char* model;
  void (*set)(Settings&);
};
void PrintTo(const Case& c, std::ostream* to) { *to << c.name; }

Settings usual() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 128;
  s.warmup.transitions = 60;
  s.sampling.draws = 30;
  s.seed = 5;
  s.threads = 2;
  return s;
}

const Case cases[] = {
    {"hmc", "normal", [](Settings&) {}},
    {"hmc_double", "normal", [](Settings& s) { s.precision = Precision::double_precision; }},
    {"left_over_lanes", "normal", [](Settings& s) { s.chains = 100, s.superchains = 4; }},
    {"chosen_precision_and_sampler_defaults", "banana",
     [](Settings& s) { s.warmup.transitions.reset(), s.warmup.end.reset(), s.chains = 64; }},
    {"few_chains_that_windows_diverge_of", "banana",
     [](Settings& s) { s.warmup.transitions.reset(), s.warmup.end.reset(), s.chains = 16; }},
    {"few_chains_with_a_longer_trial", "eight_schools_centered",
     [](Settings& s) { s.warmup.transitions.reset(), s.warmup.end.reset(), s.chains = 4, s.seed = 10; }},
    {"hierarchical_metric", "eight_schools_centered",
     [](Settings& s) { s.sampling.metric = MetricKind::hierarchical; }},
    {"metric_that_a_trial_chooses", "funnel",
     [](Settings& s) { s.warmup.transitions = 150, s.precision = Precision::single_precision; }},
    {"directions", "correlated_normal",
     [](Settings& s) { s.sampling.metric = MetricKind::dense, s.warmup.transitions = 150; }},
    {"integrator_that_a_trial_chooses", "ill_conditioned_normal",
     [](Settings& s) { s.warmup.transitions = 120, s.chains = 64, s.sampling.draws = 8; }},
    {"target", "eight_schools",
     [](Settings& s) {
       s.sampling.target_ess = 400, s.sampling.draws = 200, s.warmup.transitions.reset(),
       s.warmup.end = WarmupEnd::settled;
     }},
    {"groups_and_thin", "eight_schools", [](Settings& s) { s.groups = 2, s.sampling.thin = 3, s.sampling.draws = 15; }},
    {"chees", "normal", [](Settings& s) { s.warmup.adaptation = "chees", s.warmup.transitions = 100; }},
    {"fixed_step", "banana", [](Settings& s) { s.sampling.step_size = 0.1, s.sampling.trajectory = 1; }},
    {"no_statistics", "normal", [](Settings& s) { s.output.keep_sample_stats = false, s.sampling.draws = 12; }},
    {"log_likelihood", "eight_schools", [](Settings& s) { s.output.log_likelihood = 5, s.sampling.draws = 12; }},
    {"metropolis", "banana", [](Settings& s) { s.sampler = "metropolis", s.sampling.thin = 2; }},
    {"mala", "banana", [](Settings& s) { s.sampler = "mala"; }},
    {"tempering", "banana", [](Settings& s) { s.sampler = "tempering", s.chains = 48; }},
    {"ula", "correlated_normal", [](Settings& s) { s.sampler = "ula"; }},
    {"single_component", "banana",
     [](Settings& s) { s.sampler = "single_component", s.precision = Precision::double_precision; }},
    {"sgld", "linear_regression",
     [](Settings& s) {
       s.sampler = "sgld", s.sampling.minibatch = 4, s.sampling.schedule = StepSchedule{1e-4, 1, 0.55};
     }},
    {"gibbs", "spins", [](Settings& s) { s.sampler = "gibbs"; }},
    {"random_scan_gibbs", "spins", [](Settings& s) { s.sampler = "random_scan_gibbs"; }},
    {"parallel_gibbs", "spins", [](Settings& s) { s.sampler = "parallel_gibbs"; }},
    {"hmc_then_gibbs", "spins_alone", [](Settings& s) { s.sampler = "hmc+gibbs"; }},
    {"sequence", "pair", [](Settings& s) { s.sampler = "sequence"; }},
    {"mixture", "pair", [](Settings& s) { s.sampler = "mixture"; }},
    {"metropolis_hastings", "proposing", [](Settings& s) { s.sampler = "metropolis_hastings"; }},
    {"independence", "proposing", [](Settings& s) { s.sampler = "independence"; }},
    {"importance", "proposing", [](Settings& s) { s.sampler = "importance"; }},
    {"rejection", "proposing", [](Settings& s) { s.sampler = "rejection"; }},
    {"direct", "proposing", [](Settings& s) { s.sampler = "direct"; }},
    {"snaper", "normal", [](Settings& s) { s.warmup.adaptation = "snaper", s.warmup.transitions = 100; }},
};

class Resumes : public testing::TestWithParam<Case> {
 protected:
  Model model() const {
    const std::string name = GetParam().model;
    if (name == "spins") return model_of<Spins>();
    if (name == "spins_alone") return model_of<SpinsAlone>();
    if (name == "proposing") return model_of<Proposing>();
    return name == "pair" ? model_of<Pair>() : builtin_model(name);
  }
  Settings settings() const {
    Settings s = usual();
    GetParam().set(s);
    return s;
  }
};

// Once it dies before each append but one of each process: also with nothing but its first state, and behind warm-up.
// Once blocks have one transition, and each draw is appended.
TEST_P(Resumes, where_it_died) {
  Settings s = settings();
  MemoryStore unbroken(11), broken(11), often(5);
  const Result whole = sample(model(), s, unbroken, {1e9});
  int resumes = 0;
  expect_same_run(run_that_dies(model(), s, 1, 1e9, broken, &resumes), whole);
  EXPECT_GE(resumes, 2);
  expect_same_state(broken.run.state, unbroken.run.state);
  s.blocks_per_second = 1000000000;
  expect_same_run(run_that_dies(model(), s, 7, 0, often), whole);
  expect_same_state(often.run.state, unbroken.run.state);
}

// Parts die, too.
TEST_P(Resumes, in_parts) {
  Settings s = settings();
  s.sampling.target_ess.reset();
  MemoryStore warm(9);
  sample(model(), s, warm, {.warmup_only = true});
  MemoryStore unbroken(11), together(7);
  const Result whole = sample(model(), s, unbroken, {1e9});
  expect_same_run(merge(model(), parts_of(model(), warm.run, {3}), {}, together), whole);
  expect_same_state(together.run.state, unbroken.run.state);
  expect_same_draws(together.run.draws, unbroken.run.draws);
}

/// A run in ranks whose first process dies after every `appends` appends; other numbers of ranks go on, one of them
/// none.
Result ranks_that_die(const Model& model, const Settings& settings, const Storing& storing, int appends,
                      MemoryStore& store) {
  for (int k = 0;; ++k) {
    const int size = std::vector{3, 2, 1, 7, 4}[static_cast<std::size_t>(k % 5)];
    store.live(appends);
    std::vector<Result> results(static_cast<std::size_t>(size));
    const auto thrown = in_ranks(size, [&](Ranks& ranks) {
      const bool first = ranks.rank() == 0;
      RunStore* const of_first = first ? &store : nullptr;
      Result& result = results[static_cast<std::size_t>(ranks.rank())];
      if (k == 0)
        result = sample_in_ranks(model, settings, ranks, of_first, storing);
      else
        result = resume_in_ranks(
            model, first ? store.run : StoredRun(), {}, ranks, [](const Model&, Settings& mine) { mine.threads = 1; },
            of_first, storing);
    });
    if (!thrown[0]) {
      EXPECT_GE(k, 2);
      for (const Result& result : results) {
        expect_same_run(result, results[0]);
        EXPECT_EQ(result.output.draws_in_store, results[0].output.draws_in_store);
      }
      return with_draws(std::move(results[0]), store);
    }
    for (std::size_t r = 0; r < thrown.size(); ++r) EXPECT_TRUE(thrown[r]) << "rank " << r << " has not ended";
    if (k > 100) {
      ADD_FAILURE() << "the run does not end";
      return {};
    }
    if (k % 5 < 4) continue;
    store.live(appends);
    try {
      resume(model, store.run, {.threads = 1}, store, storing);
    } catch (const Died&) {
    }
  }
}

TEST_P(Resumes, in_ranks) {
  Settings s = settings();
  MemoryStore unbroken(11), broken(11), alone(6);
  const Result whole = sample(model(), s, unbroken, {1e9});
  expect_same_run(ranks_that_die(model(), s, {1e9}, 1, broken), whole);
  expect_same_state(broken.run.state, unbroken.run.state);
  expect_same_draws(broken.run.draws, unbroken.run.draws);
  alone.readable = true;
  s.blocks_per_second = 1000000000;
  expect_same_run(ranks_that_die(model(), s, {.seconds = 0, .memory = 1}, 13, alone), whole);
  expect_same_draws(alone.run.draws, unbroken.run.draws);
}

// A run that keeps no draws goes on from its states alone: with the sums of all chains, or the draws that lay out the
// maps of scores, which some runs die with.
TEST(Resume, of_runs_that_keep_no_draws) {
  struct {
    std::size_t chains, draws;
    Precision precision;
    int appends;
  } const shapes[] = {{100, 90, Precision::single_precision, 9}, {20, 120, Precision::double_precision, 17}};
  for (const auto& shape : shapes) {
    Settings s = usual();
    s.output.keep_draws = false;
    s.chains = shape.chains;
    s.superchains = 4;
    s.sampling.draws = shape.draws;
    s.precision = shape.precision;
    const Model model = builtin_model("eight_schools");
    const Result whole = sample(model, s);
    MemoryStore unbroken(1000), broken(1000), shared(1000);
    unbroken.states_alone = broken.states_alone = shared.states_alone = true;
    expect_same_run(sample(model, s, unbroken, {1e9}), whole);
    s.blocks_per_second = 1000000000;
    int resumes = 0;
    expect_same_run(run_that_dies(model, s, shape.appends, 0, broken, &resumes), whole);
    EXPECT_GE(resumes, 5);
    EXPECT_EQ(broken.run.draws.draws, 0u);
    expect_same_state(broken.run.state, unbroken.run.state);
    expect_same_run(ranks_that_die(model, s, {0}, shape.appends, shared), whole);
    expect_same_state(shared.run.state, unbroken.run.state);
  }
}

// Draws that are too many for memory are read back from the store, whether the run dies or not: a draw and an output at
// a time, or some.
TEST_P(Resumes, with_draws_in_the_store_alone) {
  const Settings s = settings();
  MemoryStore unbroken(11);
  const Result whole = sample(model(), s, unbroken, {1e9});
  EXPECT_FALSE(whole.output.draws_in_store);
  for (const double memory : {1.0, 0.6 * bytes_of(whole)}) {
    MemoryStore once(7), broken(7);
    once.readable = broken.readable = true;
    const Storing storing{.seconds = 1e9, .memory = memory};
    const Result read_back = sample(model(), s, once, storing);
    EXPECT_TRUE(read_back.output.draws_in_store || (s.sampling.target_ess && memory > 1));
    expect_same_run(with_draws(read_back, once), whole);
    expect_same_state(once.run.state, unbroken.run.state);
    expect_same_run(with_draws(run_that_dies(model(), s, 5, storing, broken), broken), whole);
    expect_same_state(broken.run.state, unbroken.run.state);
  }
}

TEST_P(Resumes, in_parts_with_draws_in_the_store_alone) {
  Settings s = settings();
  s.sampling.target_ess.reset();
  MemoryStore warm(9);
  sample(model(), s, warm, {.warmup_only = true});
  MemoryStore unbroken(11);
  const Result whole = sample(model(), s, unbroken, {1e9});
  const std::vector<StoredRun> parts = parts_of(model(), warm.run, {3});
  for (const double memory : {1.0, 0.6 * bytes_of(whole)}) {
    MemoryStore together(7);
    together.readable = true;
    const Result merged = merge(model(), parts, {}, together, {.memory = memory});
    EXPECT_TRUE(merged.output.draws_in_store);
    expect_same_run(with_draws(merged, together), whole);
    expect_same_state(together.run.state, unbroken.run.state);
    expect_same_draws(together.run.draws, unbroken.run.draws);
  }
}

INSTANTIATE_TEST_SUITE_P(Run, Resumes, testing::ValuesIn(cases), [](const auto& c) { return c.param.name; });

TEST(Resume, stores_as_often_as_it_should) {
  MemoryStore store(8);
  const Result stored = sample(builtin_model("normal"), usual(), store, {1e9});
  expect_same_run(stored, sample(builtin_model("normal"), usual()));
  EXPECT_EQ(store.begun, 1);
  EXPECT_EQ(store.finished, 1);
  EXPECT_EQ(store.appended, 2 + 4) << "a first state, one behind warm-up, 30 draws in blocks of 8";
}

// With three transitions from draw to draw, a run is cancelled between two draws.
TEST(Resume, after_cancellation) {
  Settings s = usual();
  s.sampling.thin = 3;
  const Model model = builtin_model("eight_schools");
  const Result whole = sample(model, s);
  s.blocks_per_second = 1000000000;
  MemoryStore store(7);
  std::atomic<bool> cancel{false};
  Settings ended = s;
  ended.cancel = &cancel;
  ended.progress = [&](const Progress& p) {
    cancel = std::string(p.phase) == "sampling" && p.transitions == 60 + 3 * 10 + 1;
  };
  const Result part = sample(model, ended, store);
  EXPECT_TRUE(part.cancelled);
  EXPECT_EQ(part.kept, 10u);
  EXPECT_EQ(stored_facts(store.run.state).draws, 10u);
  expect_same_run(resume(model, store.run, {}, store), whole);
}

TEST(Resume, for_more_draws) {
  const Model model = builtin_model("eight_schools_centered");
  for (const std::size_t first : {13u, 75u}) {  // 75: where necks are looked at only as the run ends
    Settings s = usual();
    s.sampling.draws = first;
    MemoryStore store(10);
    sample(model, s, store);
    s.sampling.draws = 100;
    const Result whole = sample(model, s);
    MemoryStore other = store;
    expect_same_run(resume(model, store.run, {.draws = 100}, store), whole);
    expect_same_run(resume(model, other.run, {.more = 100 - first}, other), whole);
  }
}

// The cases above have what they are to show.
TEST(Resume, of_runs_with_necks_and_leaves) {
  Settings s = usual();
  s.sampling.metric = MetricKind::hierarchical;
  MemoryStore store(11);
  const Result result = sample(builtin_model("eight_schools_centered"), s, store);
  EXPECT_GT(result.warmup.tuning[0].leaves, 0u);
  const StateOfRun state = state_from(store.run.state);
  EXPECT_EQ(state.necks.looks.last, 30u);
  EXPECT_EQ(state.necks.looks.sums.terms.size(), 128u);
}

TEST(Resume, to_a_higher_target) {
  const Model model = builtin_model("eight_schools");
  Settings s = usual();
  s.sampling.draws = 1000;
  s.sampling.target_ess = 500;
  MemoryStore store(50);
  const Result first = sample(model, s, store);
  s.sampling.target_ess = 6000;
  const Result whole = sample(model, s);
  EXPECT_LT(first.kept, whole.kept);
  expect_same_run(resume(model, store.run, {.target_ess = 6000}, store), whole);
}

TEST(Resume, of_a_run_that_has_ended_draws_nothing) {
  for (const bool target : {false, true}) {
    Settings s = usual();
    if (target) s.sampling.target_ess = 400, s.sampling.draws = 1000;
    MemoryStore store(10);
    const Result first = sample(builtin_model("eight_schools"), s, store);
    const int appended = store.appended;
    expect_same_run(resume(builtin_model("eight_schools"), store.run, {}, store), first);
    EXPECT_EQ(store.appended, appended);
    EXPECT_EQ(store.finished, 2);
  }
}

/// Normals; a function that rejects what lies far out.
int bounded(std::size_t n, const double* q, double* gradient, double* log_density, void*) {
  *log_density = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (q[i] > 1.5) return 1;
    *log_density -= 0.5 * q[i] * q[i];
    gradient[i] = -q[i];
  }
  return 0;
}

TEST(Resume, of_foreign_densities) {
  Settings s = usual();
  s.chains = 64;
  s.sampling.draws = 20;
  CallbackDensity density;
  density.dimension = 2;
  density.function = bounded;
  const Model function(density);
  const Result whole = sample(function, s);
  EXPECT_GT(whole.sampling.rejected.evaluations, 0u);
  MemoryStore store(6), other(6);
  expect_same_run(run_that_dies(function, s, 1, 1e9, store), whole);

  BatchedDensity batched;
  batched.dimension = 2;
  batched.function = [](const double* points, std::size_t count, double* log_densities, double* gradients) {
    for (std::size_t i = 0; i < 2 * count; ++i) gradients[i] = -points[i];
    for (std::size_t i = 0; i < count; ++i)
      log_densities[i] = -0.5 * (points[2 * i] * points[2 * i] + points[2 * i + 1] * points[2 * i + 1]);
  };
  const Model at_once(batched);
  s.threads = 1;
  expect_same_run(run_that_dies(at_once, s, 1, 1e9, other), sample(at_once, s));
}

}  // namespace
}  // namespace manychain
