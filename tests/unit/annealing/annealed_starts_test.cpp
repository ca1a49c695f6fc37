// Runs whose chains start where annealing ends: modes that lie apart have their shares.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "manychain/manychain.hpp"
#include "manychain/model.hpp"
#include "unit/annealing/targets.hpp"
#include "unit/run/advice.hpp"
#include "unit/run/memory_store.hpp"
#include "unit/run/model_with_terms.hpp"

namespace manychain::test {
namespace {

Settings annealed(std::uint64_t seed) {
  Settings s;
  s.backend = Backend::cpu;
  s.seed = seed;
  s.warmup.starts = Starts::annealed;
  s.sampling.draws = 50;
  return s;
}

/// The share of draws nearer to `there` than to `here`.
double share_near(const Result& r, const std::vector<double>& there, const std::vector<double>& here) {
  double near = 0;
  for (std::size_t draw = 0; draw < r.draws.draws; ++draw)
    for (std::size_t c = 0; c < r.draws.chains; ++c) {
      double difference = 0;
      for (std::size_t i = 0; i < there.size(); ++i)
        difference += std::pow(r.draws(draw, i, c) - there[i], 2) - std::pow(r.draws(draw, i, c) - here[i], 2);
      near += difference < 0;
    }
  return near / static_cast<double>(r.draws.draws * r.draws.chains);
}

void expect_share(const Model& model, double share, const std::vector<double>& there, const std::vector<double>& here,
                  std::uint64_t seeds) {
  double squares = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Result r = sample(model, annealed(seed));
    ASSERT_EQ(r.settings.chains, 256u);
    ASSERT_EQ(r.warmup.annealing.modes.size(), 2u) << seed;
    const auto distance = [&](const WeighedMode& m) { return std::fabs(m.centre[0] - there[0]); };
    const auto& modes = r.warmup.annealing.modes;
    const WeighedMode& mode = distance(modes[0]) < distance(modes[1]) ? modes[0] : modes[1];
    const double z = (mode.share - share) / mode.error;
    squares += z * z / static_cast<double>(seeds);
    EXPECT_LT(std::fabs(z), 4) << seed;
    EXPECT_NEAR(share_near(r, there, here), share, 4 * mode.error + 1.0 / 256) << seed;
    EXPECT_FALSE(r.converged) << seed;
    EXPECT_TRUE(r.posterior.modes.missed.empty()) << seed;
    EXPECT_TRUE(find(r.verdict(), "Weighed modes: chains started in 2 modes")) << r.verdict().text();
  }
  EXPECT_LT(std::sqrt(squares), 1.3);
}

TEST(AnnealedStarts, weigh_a_wide_and_a_narrow_mode) {
  expect_share(wide_and_narrow().model, 0.5, {5, 5}, {-5, -5}, 10);
}
TEST(AnnealedStarts, have_a_mode_of_five_percent_in_50_dimensions) {
  expect_share(small_in_50_dimensions().model, 0.05, alternating(50, -1.4, 0.8), alternating(50, 0, 0), 5);
}

/// Two modes of a parameter between bounds.
template <class Number>
struct BetweenBounds {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x", interval(0, 10));
    target += log_mix(0.5, normal(x, 2, 0.1), normal(x, 8, 0.1));
  }
};
/// Two modes of an element of a matrix, and of a simplex.
template <class Number>
struct InAMatrix {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto m = target.matrix("m", Size<2>{}, Size<2>{}, interval(0, 10));
    target += normal(m[0][0], 5, 0.1) + normal(m[0][1], 5, 0.1) + normal(m[1][1], 5, 0.1);
    target += log_mix(0.5, normal(m[1][0], 2, 0.1), normal(m[1][0], 8, 0.1));
  }
};
template <class Number>
struct InASimplex {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto w = target.simplex("w", Size<2>{});
    target += log_mix(0.5, normal(w[0], 0.2, 0.01), normal(w[0], 0.8, 0.01));
  }
};
void expect_modes(const Model& model, const std::string& named, double low, double high) {
  const Result r = sample(model, annealed(1));
  ASSERT_EQ(r.warmup.annealing.modes.size(), 2u);
  for (const WeighedMode& mode : r.warmup.annealing.modes)
    EXPECT_LT(std::min(std::fabs(mode.value - low), std::fabs(mode.value - high)), 0.05) << mode.value;
  const std::string text = r.verdict().text();
  EXPECT_NE(text.find("of the posterior near " + named + " = "), std::string::npos) << text;
}
TEST(AnnealedStarts, name_modes_on_the_scale_of_the_parameter) {
  expect_modes(model_with_terms<BetweenBounds, "hmc">(), "x", 2, 8);
  expect_modes(model_with_terms<InAMatrix, "hmc">(), "m[2,1]", 2, 8);
  const Result r = sample(model_with_terms<InASimplex, "hmc">(), annealed(1));
  EXPECT_NE(r.verdict().text().find("near w[1] (unconstrained) = "), std::string::npos) << r.verdict().text();
}

TEST(AnnealedStarts, are_the_advice_where_a_mode_was_missed_and_help) {
  const Model model = wide_and_narrow().model;
  Settings s = annealed(1);
  s.warmup.starts = Starts::automatic;
  const Result before = sample(model, s);
  const diagnostics::Verdict verdict = before.verdict();
  const diagnostics::Finding* const missed = find(verdict, "Missed modes: ");
  ASSERT_TRUE(missed) << verdict.text();
  EXPECT_NE(missed->advice.find("take Settings::warmup.starts annealed"), std::string::npos) << missed->advice;
  EXPECT_LT(share_near(before, {5, 5}, {-5, -5}), 0.1);
  s.warmup.starts = Starts::annealed;
  const Result after = sample(model, s);
  EXPECT_FALSE(find(after.verdict(), "Missed modes: ")) << after.verdict().text();
  EXPECT_NEAR(share_near(after, {5, 5}, {-5, -5}), 0.5, 0.1);
}

TEST(AnnealedStarts, of_a_run_that_dies_are_those_of_one_that_does_not) {
  Settings s = annealed(1);
  s.warmup.transitions = 60;
  const Model model = wide_and_narrow().model;
  const Result whole = sample(model, s);
  MemoryStore store(10);
  int resumes = 0;
  const Result resumed = run_that_dies(model, s, 1, 1e9, store, &resumes);
  expect_same_run(resumed, whole);
  EXPECT_GT(resumes, 0);
  EXPECT_EQ(resumed.warmup.annealing.log_z, whole.warmup.annealing.log_z);
  EXPECT_EQ(resumed.verdict().text(), whole.verdict().text());
}

TEST(AnnealedStarts, are_those_of_all_parts_of_a_run) {
  Settings s = annealed(3);
  s.chains = 96;
  s.warmup.transitions = 60;
  s.sampling.draws = 12;
  const Model model = wide_and_narrow().model;
  const Result whole = sample(model, s);
  MemoryStore warm(10), merged(10);
  sample(model, s, warm, {.warmup_only = true});
  const Result joined = merge(model, parts_of(model, warm.run, {3}), {}, merged);
  expect_same_run(joined, whole);
  EXPECT_EQ(joined.verdict().text(), whole.verdict().text());
}

TEST(AnnealedStarts, of_one_mode_converge) {
  const KnownIntegral known = chain_of_normals(10);
  Settings s = annealed(1);
  s.sampling.draws.reset();
  const Result r = sample(known.model, s);
  EXPECT_TRUE(r.converged) << r.verdict().text();
  EXPECT_EQ(r.warmup.annealing.modes.size(), 1u);
  EXPECT_NEAR(r.warmup.annealing.log_z, known.log_z, 4 * r.warmup.annealing.error);
  EXPECT_FALSE(find(r.verdict(), "Weighed modes: "));
}

TEST(AnnealedStarts, do_not_depend_on_threads) {
  Settings s = annealed(3);
  s.sampling.draws = 3;
  s.threads = 1;
  const Result one = sample(wide_and_narrow().model, s);
  s.threads = 3;
  const Result three = sample(wide_and_narrow().model, s);
  EXPECT_EQ(one.warmup.annealing.log_z, three.warmup.annealing.log_z);
  for (std::size_t c = 0; c < one.draws.chains; ++c) ASSERT_EQ(one.draws(2, 0, c), three.draws(2, 0, c));
}

TEST(AnnealedStarts, take_groups_and_superchains) {
  Settings s = annealed(2);
  s.groups = 2;
  s.superchains = 32;
  s.sampling.draws = 10;
  const Result r = sample(wide_and_narrow().model, s);
  ASSERT_EQ(r.warmup.annealing.modes.size(), 2u);
  EXPECT_NEAR(r.warmup.annealing.modes[0].share, 0.5, 4 * r.warmup.annealing.modes[0].error);
  EXPECT_NEAR(share_near(r, {5, 5}, {-5, -5}), 0.5, 4 * r.warmup.annealing.modes[0].error + 1.0 / 64);
}

}  // namespace
}  // namespace manychain::test
