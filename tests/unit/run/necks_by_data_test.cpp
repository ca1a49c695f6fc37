// A level for each datum, whose noise may be small: the neck that data leave is found, or the verdict says that it is
// not.
#include "../bench/coverage/series.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "manychain/manychain.hpp"
#include "unit/run/advice.hpp"

namespace {

using namespace manychain;
using namespace manychain::test;

/// A data set of bench/coverage: by quadrature sigma has mean 0.2330, sd 0.1413 and the 5 % quantile 0.0242.
Data series() {
  Data data;
  data.set("T", 40);
  data.set("y", {3.59, 2.46, 2.59, 3.02, 3.47, 4.28, 5.10, 4.60, 4.00, 4.54, 4.13, 4.25, 4.67, 6.05,
                 5.72, 5.50, 5.05, 4.99, 4.91, 4.57, 4.44, 5.03, 4.55, 4.80, 5.00, 4.00, 3.92, 4.14,
                 4.42, 4.59, 6.00, 5.84, 4.50, 5.10, 5.61, 5.99, 5.49, 4.18, 4.53, 4.65});
  return data;
}

Settings settings(std::uint64_t seed) {
  Settings s;
  s.backend = Backend::cpu;
  s.seed = seed;
  return s;
}

// 5 standard errors, of which those of the quantile are those of its ESS; the density there is 2.2 per unit of sigma.
TEST(NecksByData, OfALocalLevelAreEntered) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Result r = sample(model<LocalLevel>(series()), settings(seed));
    EXPECT_TRUE(r.converged) << seed;
    EXPECT_EQ(r.warmup.tuning[0].leaves, 40u) << seed;
    EXPECT_LE(r.sampling.divergences, 2u) << seed;
    EXPECT_TRUE(r.posterior.missed_necks.empty()) << seed;
    ASSERT_EQ(r.summary[1].name, "sigma");
    const VariableSummary& sigma = r.summary[1].statistics;
    EXPECT_NEAR(sigma.mean, 0.2330, 5 * sigma.mcse_mean) << seed;
    EXPECT_NEAR(sigma.sd, 0.1413, 5 * sigma.mcse_sd) << seed;
    EXPECT_NEAR(sigma.q5, 0.0242, 5 * std::sqrt(0.05 * 0.95 / sigma.ess_tail) / 2.2) << seed;
  }
}

// Chains of constant masses stop above it; what the verdict advises finds it.
TEST(NecksByData, AreWarnedOfWhereTheyAreMissed) {
  const auto missed = [](const Result& r) { return double(r.posterior.missed_necks.size()); };
  Settings s = settings(1);
  s.sampling.draws = 400;
  s.sampling.target_ess = 4000;
  s.sampling.metric = MetricKind::low_rank;
  expect_that_advice_cures({"Neck: the draws of sigma end", "auto", model<LocalLevel>(series()), s, missed, {}});
  s.sampling.metric = MetricKind::automatic;
  s.sampling.step_size = 0.1;  // without adaptation masses are constant, too
  s.sampling.trajectory = 3;
  expect_that_advice_cures({"Neck: the draws of sigma end", "to which sigma ties data as data + scale * u",
                            model<LocalLevel>(series()), s, missed, [] { return model<LocalNoise>(series()); }});
}

}  // namespace
