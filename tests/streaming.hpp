// Streaming diagnostics against those of the same draws, kept.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "diagnostics/normal_scores.hpp"
#include "manychain/adaptation/pooled.hpp"
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
  double score_error = 0.1;  ///< relative, of an ESS of scores instead of ranks
};

/// The draws of one output, [draw][chain].
inline std::vector<double> values(const manychain::Draws& draws, std::size_t output) {
  std::vector<double> x;
  for (std::size_t d = 0; d < draws.draws; ++d)
    for (std::size_t c = 0; c < draws.chains; ++c) x.push_back(draws(d, output, c));
  return x;
}

/// Their normal scores by rank; continuous draws have next to no ties.
inline std::vector<double> rank_scores(const manychain::Draws& draws, std::size_t output) {
  const std::vector<double> x = values(draws, output);
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> z(x.size());
  for (std::size_t r = 0; r < order.size(); ++r) z[order[r]] = manychain::diagnostics::score_of_run(r, 1, order.size());
  return z;
}

/// Draws of all chains times their variance over that of the chains' means.
inline double ess_of_chain_means(const std::vector<double>& x, const Shape& shape) {
  manychain::MomentSum all, means;
  for (double v : x) all.merge(1, v, 0);
  for (std::size_t c = 0; c < shape.chains; ++c) {
    manychain::MomentSum chain;
    for (std::size_t d = 0; d < shape.draws; ++d) chain.merge(1, x[d * shape.chains + c], 0);
    means.merge(1, chain.mean, 0);
  }
  return static_cast<double>(shape.chains) * (all.m2 / (all.count - 1)) / (means.m2 / (means.count - 1));
}

/// The errors are those that docs/diagnostics.md states.
inline void expect_equal(const manychain::Result& stored, const manychain::Result& streamed, const Shape& shape) {
  ASSERT_FALSE(stored.draws.empty());
  ASSERT_TRUE(streamed.draws.empty());
  EXPECT_EQ(streamed.kept, shape.draws);
  const double all = static_cast<double>(shape.chains * shape.draws);
  const double counted = all / static_cast<double>(std::clamp<std::size_t>(shape.chains / 64, 1, 16));
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
    if (shape.chains >= 32) {
      // The published estimate is another one: see docs/diagnostics.md. This is the same, of ranks and of all draws.
      const double most = all * std::log10(all);
      const double ess = std::min(most, ess_of_chain_means(rank_scores(stored.draws, i), shape));
      const double of_mean = std::min(most, ess_of_chain_means(values(stored.draws, i), shape));
      EXPECT_NEAR(b.ess_bulk / ess, 1, shape.score_error) << b.ess_bulk << " " << ess;
      // With superchains both come from the chains' means; tests/unit/diagnostics/superchain_errors_test.cpp has them.
      const bool superchains = stored.settings.superchains.value_or(0) > 1;
      EXPECT_NEAR(b.mcse_mean / (superchains ? a.mcse_mean : a.sd / std::sqrt(of_mean)), 1, 0.01);
    } else {
      // 32 batches at least, and the error of the published estimate.
      const double spread = std::sqrt(2.0 / 31) + 0.1;
      EXPECT_LT(std::fabs(std::log(b.ess_bulk / a.ess_bulk)), 5 * spread) << a.ess_bulk << " " << b.ess_bulk;
      EXPECT_LT(std::fabs(std::log(b.mcse_mean / a.mcse_mean)), 2.5 * spread);
    }
    EXPECT_TRUE(std::isnan(b.ess_tail));
  }
  ASSERT_EQ(stored.sampling.ebfmi.size(), shape.chains);
  ASSERT_EQ(streamed.sampling.ebfmi.size(), shape.chains);
  for (std::size_t c = 0; c < shape.chains; ++c)
    EXPECT_NEAR(streamed.sampling.ebfmi[c] / stored.sampling.ebfmi[c], 1, 0.01) << c;
}

}  // namespace streaming
