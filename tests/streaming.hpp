// Streaming diagnostics against those of the same draws, kept.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "manychain/run/result.hpp"

namespace streaming {

/// Share of the kept draws of one output that are at most x.
inline double share(const manychain::Draws& draws, std::size_t output, double x) {
  double below = 0;
  for (std::size_t d = 0; d < draws.draws; ++d)
    for (std::size_t c = 0; c < draws.chains; ++c) below += draws(d, output, c) <= x;
  return below / static_cast<double>(draws.draws * draws.chains);
}

struct Shape {
  std::size_t chains, draws;
  manychain::Precision precision;
};

/// The errors are those that docs/diagnostics.md states.
inline void expect_equal(const manychain::Result& stored, const manychain::Result& streamed, const Shape& shape) {
  ASSERT_FALSE(stored.draws.empty());
  ASSERT_TRUE(streamed.draws.empty());
  EXPECT_EQ(streamed.kept, shape.draws);
  const double all = static_cast<double>(shape.chains * shape.draws);
  const double counted = all / static_cast<double>(std::clamp<std::size_t>(shape.chains / 64, 1, 16));
  // Of a variance that is estimated from the means of chains, or from 32 batches at least: relative.
  const double spread = std::sqrt(2.0 / static_cast<double>(std::max<std::size_t>(shape.chains, 32) - 1));
  for (std::size_t i = 0; i < stored.summary.size(); ++i) {
    const manychain::VariableSummary &a = stored.summary[i].statistics, &b = streamed.summary[i].statistics;
    SCOPED_TRACE(stored.model + ": " + stored.summary[i].name);
    EXPECT_NEAR(a.mean, b.mean, 1e-4 * a.sd);
    EXPECT_NEAR(b.sd / a.sd, 1, 1e-3);
    const double independent = std::min(counted, a.ess_bulk);
    const std::pair<double, double> quantiles[] = {{0.05, b.q5}, {0.5, b.q50}, {0.95, b.q95}};
    for (const auto& [p, q] : quantiles)
      EXPECT_NEAR(share(stored.draws, i, q), p, 0.005 + 5 * std::sqrt(p * (1 - p) / independent)) << q;
    EXPECT_NEAR(b.rhat, a.rhat, 0.005 + 0.2 * (a.rhat - 1));
    EXPECT_EQ(std::isnan(b.rhat_nested), std::isnan(a.rhat_nested));
    if (!std::isnan(a.rhat_nested)) {
      EXPECT_NEAR(b.rhat_nested, a.rhat_nested, 0.002 + 0.2 * (a.rhat_nested - 1));
    }
    // Both estimates have an error; that of the stored draws is the smaller.
    EXPECT_LT(std::fabs(std::log(b.ess_bulk / a.ess_bulk)), 0.1 + 5 * spread) << a.ess_bulk << " " << b.ess_bulk;
    EXPECT_LT(std::fabs(std::log(b.mcse_mean / a.mcse_mean)), 0.1 + 2.5 * spread);
    EXPECT_TRUE(std::isnan(b.ess_tail));
  }
  ASSERT_EQ(stored.ebfmi.size(), shape.chains);
  ASSERT_EQ(streamed.ebfmi.size(), shape.chains);
  for (std::size_t c = 0; c < shape.chains; ++c) EXPECT_NEAR(streamed.ebfmi[c] / stored.ebfmi[c], 1, 0.01) << c;
}

}  // namespace streaming
