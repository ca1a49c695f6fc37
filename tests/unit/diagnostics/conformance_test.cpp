// The summary of a run, and the tests' own reference, against values that other programs computed: the R package
// posterior for two chains of Stan's blocker model, and the published conformance values for four chains of a Bernoulli
// model.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "manychain/diagnostics/summary.hpp"
#include "unit/diagnostics/draws.hpp"

namespace {

using manychain::VariableSummary;
using test_draws::Table;

const std::string folder = std::string(MANYCHAIN_TEST_DATA) + "/diagnostics/";

VariableSummary summary_of(const reference::Chains& chains) {
  const auto draws = test_draws::from(chains);
  return manychain::summarise(draws.view(), 1).at(0);
}

#define EXPECT_RELATIVE(actual, expected, tolerance) EXPECT_NEAR((actual) / (expected), 1, tolerance)

struct Bernoulli {
  const char* name;
  double rhat, rhat_split, ess_bulk, ess_tail, ess_mean, ess_unsplit, mcse_mean, mcse_sd, nested_1212;
};

TEST(DiagnosticsConformance, bernoulli) {
  const Bernoulli expected[] = {{"theta", 1.00678968411, 1.00721797217, 1407.5124227, 1291.7131224, 1412.5651003,
                                 1377.5030282, .00323399161, .00216421367, 1.0016825161},
                                {"lp__", 1.00073006946, 1.00035489482, 1512.7683770, 1591.9706688, 1341.6851277,
                                 1335.4136679, .0201647780, .0308898301, 1.0003649428}};
  std::vector<Table> files;
  for (int chain = 1; chain <= 4; ++chain) files.emplace_back(folder + "bern" + std::to_string(chain) + ".csv");
  for (const Bernoulli& e : expected) {
    SCOPED_TRACE(e.name);
    std::vector<reference::Chain> columns;
    for (const Table& file : files) columns.push_back(file.column(e.name));
    ASSERT_EQ(columns[0].size(), 1000u);
    const reference::Chains chains = test_draws::beside(columns);
    const VariableSummary s = summary_of(chains);
    EXPECT_RELATIVE(s.rhat, e.rhat, 1e-8);
    EXPECT_RELATIVE(s.ess_bulk, e.ess_bulk, 1e-8);
    EXPECT_RELATIVE(s.ess_tail, e.ess_tail, 1e-8);
    EXPECT_RELATIVE(s.mcse_mean, e.mcse_mean, 1e-8);
    EXPECT_RELATIVE(s.mcse_sd, e.mcse_sd, 1e-8);
    EXPECT_RELATIVE(reference::rhat(chains), e.rhat, 1e-8);
    EXPECT_RELATIVE(reference::rhat_of(reference::split(chains)), e.rhat_split, 1e-8);
    EXPECT_RELATIVE(reference::ess_bulk(chains), e.ess_bulk, 1e-8);
    EXPECT_RELATIVE(reference::ess_tail(chains), e.ess_tail, 1e-8);
    EXPECT_RELATIVE(reference::ess_mean(chains), e.ess_mean, 1e-8);
    EXPECT_RELATIVE(reference::ess_of(chains), e.ess_unsplit, 1e-8);
    EXPECT_RELATIVE(reference::mcse_sd(chains), e.mcse_sd, 1e-8);
    EXPECT_RELATIVE(reference::rhat_nested_of(chains, {0, 1, 0, 1}, 2), e.nested_1212, 1e-10);
  }
}

TEST(DiagnosticsConformance, blocker) {
  const Table expected(folder + "reference_posterior.csv");
  const Table files[] = {Table(folder + "blocker.1.csv"), Table(folder + "blocker.2.csv")};
  const auto rhat = expected.column("rhat_rank");
  const auto rhat_raw = expected.column("rhat_raw");
  const auto ess_bulk = expected.column("ess_bulk");
  const auto ess_tail = expected.column("ess_tail");
  const auto ess_mean = expected.column("ess_mean");
  const auto ess_raw = expected.column("ess_raw");
  const auto mcse_mean = expected.column("mcse_mean");
  const auto mcse_sd = expected.column("mcse_sd");
  const auto mcse_quantile = expected.column("mcse_quantile10");
  ASSERT_EQ(expected.rows.size(), 48u);
  for (std::size_t row = 0; row < expected.rows.size(); ++row) {
    const std::string name = expected.rows[row][0];
    SCOPED_TRACE(name);
    const reference::Chains chains = test_draws::beside({files[0].column(name), files[1].column(name)});
    const VariableSummary s = summary_of(chains);
    EXPECT_RELATIVE(s.rhat, rhat[row], 1e-12);
    EXPECT_RELATIVE(s.ess_bulk, ess_bulk[row], 1e-12);
    EXPECT_RELATIVE(s.ess_tail, ess_tail[row], 1e-12);
    EXPECT_RELATIVE(s.mcse_mean, mcse_mean[row], 1e-12);
    EXPECT_RELATIVE(s.mcse_sd, mcse_sd[row], 1e-12);
    EXPECT_RELATIVE(s.sd, mcse_mean[row] * std::sqrt(ess_mean[row]), 1e-12);
    EXPECT_RELATIVE(reference::rhat_of(chains), rhat_raw[row], 1e-12);
    EXPECT_RELATIVE(reference::ess_of(chains), ess_raw[row], 1e-12);
    EXPECT_RELATIVE(reference::mcse_quantile(chains, 0.1), mcse_quantile[row], 1e-12);
    const double scale = s.sd * 1e-13;
    EXPECT_NEAR(s.mean, chains.mean(), scale);
    EXPECT_NEAR(s.q5, reference::quantile(chains, 0.05), scale);
    EXPECT_NEAR(s.q50, reference::quantile(chains, 0.5), scale);
    EXPECT_NEAR(s.q95, reference::quantile(chains, 0.95), scale);
  }
}

}  // namespace
