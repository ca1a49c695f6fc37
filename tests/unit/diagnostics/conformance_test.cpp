// The diagnostics against values that other programs computed: the R package posterior for two chains of Stan's
// blocker model, and the published conformance values for four chains of a Bernoulli model.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "diagnostics/host_backend.hpp"
#include "diagnostics/rank_statistics.hpp"
#include "unit/diagnostics/draws.hpp"

namespace {

using manychain::diagnostics::HostBackend;
using manychain::diagnostics::RankStatistics;
using manychain::diagnostics::RankStatisticsOf;
using test_draws::Table;

const std::string folder = std::string(MANYCHAIN_TEST_DATA) + "/diagnostics/";

RankStatistics statistics_of(const reference::Chains& chains) {
  const auto draws = test_draws::from(chains);
  return RankStatisticsOf<HostBackend, double, std::uint32_t>(draws.view())(0);
}

#define EXPECT_RELATIVE(actual, expected, tolerance) EXPECT_NEAR((actual) / (expected), 1, tolerance)

struct Bernoulli {
  const char* name;
  double rhat, rhat_split, ess_bulk, ess_mean, ess_unsplit, mcse_mean;
};

TEST(DiagnosticsConformance, bernoulli) {
  const Bernoulli expected[] = {
      {"theta", 1.00678968411, 1.00721797217, 1407.5124227, 1412.5651003, 1377.5030282, .00323399161},
      {"lp__", 1.00073006946, 1.00035489482, 1512.7683770, 1341.6851277, 1335.4136679, .0201647780}};
  std::vector<Table> files;
  for (int chain = 1; chain <= 4; ++chain) files.emplace_back(folder + "bern" + std::to_string(chain) + ".csv");
  for (const Bernoulli& e : expected) {
    SCOPED_TRACE(e.name);
    reference::Chains chains;
    for (const Table& file : files) chains.push_back(file.column(e.name));
    ASSERT_EQ(chains[0].size(), 1000u);
    const RankStatistics s = statistics_of(chains);
    EXPECT_RELATIVE(s.summary.rhat, e.rhat, 1e-8);
    EXPECT_RELATIVE(s.rhat_split, e.rhat_split, 1e-8);
    EXPECT_RELATIVE(s.summary.ess_bulk, e.ess_bulk, 1e-8);
    EXPECT_RELATIVE(s.ess_mean, e.ess_mean, 1e-8);
    EXPECT_RELATIVE(s.summary.mcse_mean, e.mcse_mean, 1e-8);
    // The library has no such statistic, the reference has.
    EXPECT_RELATIVE(reference::ess_of(chains), e.ess_unsplit, 1e-8);
  }
}

TEST(DiagnosticsConformance, blocker) {
  const Table expected(folder + "reference_posterior.csv");
  const Table files[] = {Table(folder + "blocker.1.csv"), Table(folder + "blocker.2.csv")};
  const auto rhat = expected.column("rhat_rank");
  const auto rhat_raw = expected.column("rhat_raw");
  const auto ess_bulk = expected.column("ess_bulk");
  const auto ess_mean = expected.column("ess_mean");
  const auto ess_raw = expected.column("ess_raw");
  const auto mcse_mean = expected.column("mcse_mean");
  ASSERT_EQ(expected.rows.size(), 48u);
  for (std::size_t row = 0; row < expected.rows.size(); ++row) {
    const std::string name = expected.rows[row][0];
    SCOPED_TRACE(name);
    const reference::Chains chains = {files[0].column(name), files[1].column(name)};
    const RankStatistics s = statistics_of(chains);
    EXPECT_RELATIVE(s.summary.rhat, rhat[row], 1e-12);
    EXPECT_RELATIVE(s.summary.ess_bulk, ess_bulk[row], 1e-12);
    EXPECT_RELATIVE(s.ess_mean, ess_mean[row], 1e-12);
    EXPECT_RELATIVE(s.summary.mcse_mean, mcse_mean[row], 1e-12);
    EXPECT_RELATIVE(s.summary.sd, mcse_mean[row] * std::sqrt(ess_mean[row]), 1e-12);
    EXPECT_RELATIVE(reference::rhat_of(chains), rhat_raw[row], 1e-12);
    EXPECT_RELATIVE(reference::ess_of(chains), ess_raw[row], 1e-12);
    const auto all = reference::flatten(chains);
    const double scale = s.summary.sd * 1e-13;
    EXPECT_NEAR(s.summary.mean, reference::mean(all), scale);
    EXPECT_NEAR(s.summary.q5, reference::quantile(all, 0.05), scale);
    EXPECT_NEAR(s.summary.q50, reference::quantile(all, 0.5), scale);
    EXPECT_NEAR(s.summary.q95, reference::quantile(all, 0.95), scale);
  }
}

}  // namespace
