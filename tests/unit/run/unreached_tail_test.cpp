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

// Chains that come to it n times tell its part of a variance, w / (1 + w), to one in sqrt(n).
TEST(UnreachedTail, is_known_from_visits) {
  FoundTail tail;
  tail.share = 0.01, tail.widens = 1, tail.leaves = 0.1;
  EXPECT_NEAR(sd_error_of_tail(tail, 1e5), 0.5 * 0.5 / 10, 1e-12);
}

Settings usual(std::uint64_t seed) {
  Settings s;
  s.backend = Backend::cpu;
  s.seed = seed;
  return s;
}

/// Of a; 0.2457 by quadrature.
double sd_of_a(const Result& r) { return r.summary[1].statistics.sd; }

// One run knows the sd to some 8 %, the mean of eight to 3 %: false alarms are below 1e-3. Without the shorter steps
// the mean is 0.19.
TEST(UnreachedTail, of_a_regression_with_few_rows) {
  const Model model = model_of<Decay, "hmc">(few_rows_of_decay());
  constexpr std::uint64_t seeds = 8;
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Result r = sample(model, usual(seed));
    EXPECT_TRUE(r.converged) << seed << r.verdict().text();
    const std::string text = r.verdict().text();
    EXPECT_TRUE(text.find("Narrow tail: ") != text.npos || text.find("Rare tail: ") != text.npos) << seed << text;
    mean += sd_of_a(r) / seeds;
  }
  EXPECT_NEAR(mean, 0.2457, 0.025);
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
  EXPECT_NEAR(sd_of_a(r), 0.2457, 0.06);
}

// Where it is so narrow that the shortest step is refused, nothing converges; a prior leaves it out.
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
