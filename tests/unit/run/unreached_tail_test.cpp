// A tail along a curve, which steps that suit the rest refuse: steps are shortened for it, and the draws have it; where
// that does not help, the run says so.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "manychain/manychain.hpp"
#include "manychain/model.hpp"
#include "modes/tail.hpp"
#include "random/chain_variates.hpp"
#include "unit/run/advice.hpp"
#include "unit/run/memory_store.hpp"
#include "unit/run/model_of.hpp"
#include "unit/run/tailed.hpp"

namespace manychain::test {
namespace {

constexpr double transitions_of_run = 5120;

/// From 256 points of N(0, I).
std::optional<FoundTail> tail_of(const Model& model, double step, std::uint64_t seed) {
  const std::size_t chains = 256, d = model.layout().dimension;
  std::vector<double> positions(chains * d);
  chain_normals({seed, Purpose::gradient_check, 0, 0}, chains, d, positions.data());
  Metric metric;
  metric.scale.assign(d, 1);
  const Place place(positions, metric);
  TailWanted wanted{positions};
  wanted.step_size = step, wanted.trajectory = 3, wanted.transitions = transitions_of_run, wanted.seed = seed;
  std::size_t evaluations = 0;
  return find_tail(model.bound().evaluator(), place, wanted, evaluations);
}

Settings usual(std::uint64_t seed) {
  Settings s;
  s.backend = Backend::cpu;
  s.seed = seed;
  return s;
}

// On one side: 0.01 Phi(-r / 15) of the posterior is farther out than r = 4.41, and the variance there is half of
// 0.01 15^2.
TEST(UnreachedTail, has_its_share_and_steps_that_are_accepted) {
  const Model model = model_of<Horn, "hmc">(horn(0.01, 0.1));
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::optional<FoundTail> tail = tail_of(model, 0.7, seed);
    ASSERT_TRUE(tail) << seed;
    EXPECT_NEAR(tail->share, 0.01 * 0.5 * std::erfc(4.41 / 15 / std::numbers::sqrt2), 0.001) << seed;
    EXPECT_NEAR(tail->widens, 0.01 * 0.5 * 15 * 15, 0.3) << seed;
    EXPECT_LE(tail->shorter, 0.25) << seed;  // a leapfrog step of two sds, 0.2, is the longest that is stable
    EXPECT_GT(tail->acceptance, 0.6) << seed;
    EXPECT_LT(std::fabs(tail->middle[1]), 0.2) << seed;
  }
}

TEST(UnreachedTail, leaves_steps_that_are_accepted) {
  const std::optional<FoundTail> wide = tail_of(model_of<Horn, "hmc">(horn(0.01, 0.9)), 0.7, 1),
                                 slow = tail_of(model_of<Horn, "hmc">(horn(0.01, 0.1)), 0.1, 1);
  ASSERT_TRUE(wide && slow);
  EXPECT_EQ(wide->shorter, 1);
  EXPECT_EQ(slow->shorter, 1);
}

TEST(UnreachedTail, of_none) {
  const Model model = model_of<Horn, "hmc">(horn(0, 0.1));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_FALSE(tail_of(model, 0.7, seed)) << seed;
}

// k-hat of the draws says that the sd has no value: neither steps nor draws mend that.
TEST(UnreachedTail, without_a_variance) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_FALSE(tail_of(model_of<HeavyTail, "hmc">(), 0.7, seed)) << seed;
    EXPECT_FALSE(sample(model_of<HeavyTail, "hmc">(), usual(seed)).posterior.modes.tail) << seed;
  }
}

// Their steps are no parts of a trajectory.
TEST(UnreachedTail, of_samplers_without_trajectories) {
  Settings settings = usual(1);
  settings.sampler = "mala";
  EXPECT_FALSE(sample(model_of<Decay, "mala">(few_rows_of_decay()), settings).posterior.modes.tail);
}

// Chains that come to it n times tell its part of a variance, w / (1 + w), to one in sqrt(n).
TEST(UnreachedTail, is_known_from_visits) {
  FoundTail tail;
  tail.share = 0.01, tail.widens = 1, tail.leaves = 0.1;
  EXPECT_NEAR(sd_error_of_tail(tail, 1e5), 0.5 * 0.5 / 10, 1e-12);
}

/// The share of draws with h > 3; 0.00346 by quadrature.
double share_in_tail(const Result& r) {
  std::size_t there = 0;
  for (std::size_t d = 0; d < r.draws.draws; ++d)
    for (std::size_t c = 0; c < r.draws.chains; ++c) there += r.draws(d, 1, c) > 3;
  return static_cast<double>(there) / static_cast<double>(r.draws.draws * r.draws.chains);
}

// Chains come there some ten times in a run, so that eight runs know the share to about 12 %: false alarms are below
// 1e-3. Without the shorter steps it is a tenth.
TEST(UnreachedTail, of_a_regression_with_few_rows) {
  const Model model = model_of<Decay, "hmc">(few_rows_of_decay());
  constexpr std::uint64_t seeds = 8;
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Result r = sample(model, usual(seed));
    const std::string text = r.verdict().text();
    EXPECT_TRUE(r.converged) << seed << text;
    EXPECT_TRUE(text.find("Narrow tail: ") != text.npos || text.find("Rare tail: ") != text.npos) << seed << text;
    mean += share_in_tail(r) / seeds;
  }
  EXPECT_NEAR(mean, 0.00346, 0.4 * 0.00346);
}

TEST(UnreachedTail, that_is_rare_takes_as_many_draws_as_it_says) {
  const Model model = model_of<Decay, "hmc">(few_rows_of_decay());
  Settings settings = usual(2);
  settings.sampling.draws = 100;
  const diagnostics::Verdict before = sample(model, settings).verdict();
  const diagnostics::Finding* const finding = find(before, "Rare tail: ");
  ASSERT_TRUE(finding) << before.text();
  const std::vector<Change> changes = changes_of(finding->advice);
  ASSERT_EQ(changes.size(), 1u) << finding->advice;
  changes[0].second(settings);
  const Result r = sample(model, settings);
  const diagnostics::Verdict verdict = r.verdict();
  EXPECT_FALSE(find(verdict, "Rare tail: ")) << verdict.text();
  EXPECT_GT(r.kept, settings.sampling.draws.value() / 2);
}

// The shorter steps, and the tail for whose sake the run goes on, are in the state of a run.
TEST(UnreachedTail, of_a_run_that_died) {
  const Model model = model_of<Decay, "hmc">(few_rows_of_decay());
  Settings settings = usual(2);
  settings.sampling.draws = 400;
  const Result whole = sample(model, settings);
  ASSERT_TRUE(whole.posterior.modes.tail);
  EXPECT_LT(whole.posterior.modes.tail->shorter, 1);
  MemoryStore store(20, 3);  // the state before and behind warm-up, 20 draws
  EXPECT_THROW(sample(model, settings, store), Died);
  ASSERT_EQ(store.run.draws.draws, 20u);
  expect_same_run(resume(model, store.run, {}, store), whole);
}

// If it is so narrow that the shortest step is refused, nothing converges; a prior leaves it out.
TEST(UnreachedTail, that_no_step_reaches) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Result r = sample(model_of<Horn, "hmc">(horn(0.01, 0.001)), usual(seed));
    EXPECT_FALSE(r.converged) << seed;
    const diagnostics::Verdict verdict = r.verdict();
    const diagnostics::Finding* const finding = find(verdict, "Unreached tail: ");
    ASSERT_TRUE(finding) << seed << verdict.text();
    EXPECT_NE(finding->advice.find("Give priors that leave this tail out"), std::string::npos) << finding->advice;
    EXPECT_TRUE(sample(model_of<Horn, "hmc">(horn(0, 0.001)), usual(seed)).converged) << seed;
  }
}

}  // namespace
}  // namespace manychain::test
