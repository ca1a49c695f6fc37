// A level for each datum, whose noise may be small: the neck that data leave is found, or the verdict says that it is
// not. So is one that draws of warm-up hardly show.
#include "../bench/coverage/series.hpp"
#include "../bench/hierarchies/met_data.hpp"
#include "../bench/hierarchies/precisions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

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

/// A line whose points have errors in both coordinates, simulated with sds of 0.4; truths are means and sds of long
/// runs with x integrated out (bench/hierarchies/errors.py).
Data line() {
  Data data;
  data.set("N", 30);
  data.set("x_observed",
           {-0.32, -0.32, 0.74,  1.3,  1.72, 0.95, 0.01, -0.33, 1.84,  2.19, 1.74, 0.05,  -0.76, 2.71, 0.76,
            -0.72, 0.93,  -0.96, 0.28, 0.41, 0.67, 1.08, 1.23,  -0.03, 1.28, 1.49, -0.06, 0.97,  0.99, 1.08});
  data.set("y", {1.0,   0.58, 0.86,  1.61, 2.75, 1.23, 0.93, 0.66, 2.14, 2.46, 1.46, 0.41,  0.57, 2.23, 1.82,
                 -0.61, 0.75, -0.14, 1.18, 0.77, 0.34, 1.29, 1.42, 0.41, 1.12, 2.21, -0.49, 0.97, 0.51, 0.98});
  return data;
}

// Two scales of data, each with a neck, and coefficients that all rows share. 5 standard errors of 6 means and 6 sds
// from three seeds: a false alarm in 5e4. Chains with leaves for x alone had -13 errors of the sd of sy over 20 seeds,
// and from 10 to 60 divergences each.
TEST(NecksByData, OfErrorsInBothVariablesAreEntered) {
  const std::vector<std::pair<double, double>> truths = {{0.4003, 0.1827}, {0.9277, 0.2123}, {0.6966, 0.1752},
                                                         {0.8427, 0.1609}, {0.3910, 0.1842}, {0.3327, 0.1665}};
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Result r = sample(model<ErrorsInBoth>(line()), settings(seed));
    EXPECT_TRUE(r.converged) << seed;
    EXPECT_EQ(r.warmup.tuning[0].leaves, 32u) << seed;
    EXPECT_LE(r.sampling.divergences, 2u) << seed;
    for (std::size_t k = 0; k < truths.size(); ++k) {
      const VariableSummary& found = r.summary[k].statistics;
      EXPECT_NEAR(found.mean, truths[k].first, 5 * found.mcse_mean) << seed << ' ' << r.summary[k].name;
      EXPECT_NEAR(found.sd, truths[k].second, 5 * found.mcse_sd) << seed << ' ' << r.summary[k].name;
    }
  }
}

/// Davies (1967), bench/hierarchies/data/dyes.json.
Data dyes() {
  Data data;
  data.set("B", 6);
  data.set("S", 5);
  data.set("y", {1545, 1440, 1440, 1520, 1580, 1540, 1555, 1490, 1560, 1495, 1595, 1550, 1605, 1510, 1560,
                 1445, 1440, 1595, 1465, 1545, 1595, 1630, 1515, 1635, 1625, 1520, 1455, 1450, 1480, 1445},
           {6, 5});
  return data;
}

// Truths by quadrature (bench/hierarchies/exact.py): 5 standard errors, those of the 5 % quantile in the logarithm,
// whose density is 0.025. Where gradients alone told the exponents of masses, 9 of 10
// seeds did not converge, and these four had 1098 to 32 415 divergences.
TEST(NecksByPrecisions, OfBatchesAreEntered) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Result r = sample(model<Batches>(dyes()), settings(seed));
    EXPECT_TRUE(r.converged) << seed;
    EXPECT_EQ(r.warmup.tuning[0].leaves, 7u) << seed;
    EXPECT_LE(r.sampling.divergences, 40u) << seed;
    EXPECT_TRUE(r.posterior.missed_necks.empty()) << seed;
    ASSERT_EQ(r.summary[9].name, "sigma_batches");
    const VariableSummary& sigma = r.summary[9].statistics;
    EXPECT_NEAR(sigma.mean, 38.676, 5 * sigma.mcse_mean) << seed;
    EXPECT_NEAR(sigma.sd, 27.772, 5 * sigma.mcse_sd) << seed;
    EXPECT_NEAR(std::log(sigma.q5 / 0.2477), 0, 5 * std::sqrt(0.05 * 0.95 / sigma.ess_tail) / 0.025) << seed;
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
