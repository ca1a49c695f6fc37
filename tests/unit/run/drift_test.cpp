// All superchains may come from one mode, and go over to another one at the same pace: nested R-hat sees nothing.
// Warm-up goes on while chains drift, and the verdict names what still does.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "manychain/manychain.hpp"
#include "unit/run/advice.hpp"
#include "unit/run/mixtures_of_normals.hpp"

namespace manychain::test {
namespace {

Settings from_seed(std::uint64_t seed) {
  Settings s;
  s.backend = Backend::cpu;
  s.seed = seed;
  return s;
}

/// Starts lie around the first mode, which has 3 % of the posterior, and which chains leave after about 35 transitions.
Model seldom_crossed() { return mixture_of({{0.03, 1, {0, 0, 0, 0}}, {0.97, 1, {0, 0, 4.6, 4.6}}}); }
constexpr double exact_mean = 0.97 * 4.6;

// Before first draws were compared, 15 of 20 runs were converged with a mean more than four of its errors away; before
// warm-up went on at a level of 0.1, 4 of 60, the fifth among them. One of 200 is.
TEST(Drift, lengthens_warm_up) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Result r = sample(seldom_crossed(), from_seed(seed));
    const VariableSummary& x = r.summary[2].statistics;
    EXPECT_TRUE(!r.converged || std::fabs(x.mean - exact_mean) < 4 * x.mcse_mean) << seed << " " << x.mean;
  }
}

TEST(Drift, denies_that_a_run_is_converged) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Settings s = from_seed(seed);
    s.warmup.transitions = 100;
    s.sampling.draws = 320;
    const Result r = sample(seldom_crossed(), s);
    EXPECT_FALSE(r.converged) << seed;
    ASSERT_FALSE(r.posterior.drifts.empty()) << seed;
    EXPECT_TRUE(find(r.verdict(), "Drift: ")) << r.verdict().text();
  }
}

TEST(Drift, is_none_of_ordinary_models) {
  for (const char* name : {"normal", "correlated_normal", "banana", "funnel", "eight_schools", "eight_schools_centered",
                           "linear_regression", "logistic_regression"})
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      EXPECT_TRUE(sample(builtin_model(name), from_seed(seed)).posterior.drifts.empty()) << name << " " << seed;
}

}  // namespace
}  // namespace manychain::test
