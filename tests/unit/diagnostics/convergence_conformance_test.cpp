// Every diagnostic of one quantity against what the R package posterior computed: 48 quantities by 17 statistics, and
// the published conformance values of the Bernoulli model.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/diagnostics/convergence.hpp"
#include "manychain/diagnostics/estimates.hpp"
#include "unit/diagnostics/draws.hpp"

namespace {

using namespace manychain::diagnostics;
using test_draws::Table;

const std::string folder = std::string(MANYCHAIN_TEST_DATA) + "/diagnostics/";
constexpr double tolerance = 1e-8;  // relative; the published values have no more digits

using Statistic = std::function<double(const QuantityView&)>;

Statistic at(double (*statistic)(const QuantityView&, double), double p) {
  return [=](const QuantityView& x) { return statistic(x, p); };
}

TEST(ConvergenceConformance, blocker) {
  const std::vector<std::pair<const char*, Statistic>> statistics = {{"rhat_rank", rhat},
                                                                     {"rhat_raw", rhat_plain},
                                                                     {"ess_bulk", ess_bulk},
                                                                     {"ess_tail", ess_tail},
                                                                     {"ess_mean", ess_mean},
                                                                     {"ess_sd", ess_sd},
                                                                     {"ess_median", ess_median},
                                                                     {"ess_raw", ess_plain},
                                                                     {"ess_quantile01", at(ess_quantile, 0.01)},
                                                                     {"ess_quantile10", at(ess_quantile, 0.1)},
                                                                     {"ess_quantile30", at(ess_quantile, 0.3)},
                                                                     {"mcse_mean", mcse_mean},
                                                                     {"mcse_sd", mcse_sd},
                                                                     {"mcse_median", mcse_median},
                                                                     {"mcse_quantile01", at(mcse_quantile, 0.01)},
                                                                     {"mcse_quantile10", at(mcse_quantile, 0.1)},
                                                                     {"mcse_quantile30", at(mcse_quantile, 0.3)}};
  ASSERT_EQ(statistics.size(), 17u);
  const Table expected(folder + "reference_posterior.csv");
  const Table files[] = {Table(folder + "blocker.1.csv"), Table(folder + "blocker.2.csv")};
  ASSERT_EQ(expected.rows.size(), 48u);
  for (const auto& [column, statistic] : statistics) {
    const std::vector<double> values = expected.column(column);
    for (std::size_t row = 0; row < expected.rows.size(); ++row) {
      const std::string name = expected.rows[row][0];
      const auto draws = test_draws::from(test_draws::beside({files[0].column(name), files[1].column(name)}));
      EXPECT_NEAR(statistic(quantity(draws.view(), 0)) / values[row], 1, tolerance) << column << " of " << name;
    }
  }
}

struct Bernoulli {
  const char* name;
  double rhat, rhat_split, ess_bulk, ess_tail, ess_mean, ess_plain, mcse_mean, mcse_sd, nested_1212;
};

test_draws::Draws<double> bernoulli(const std::string& column) {
  std::vector<reference::Chain> chains;
  for (int chain = 1; chain <= 4; ++chain) {
    chains.push_back(Table(folder + "bern" + std::to_string(chain) + ".csv").column(column));
  }
  return test_draws::from(test_draws::beside(chains));
}

TEST(ConvergenceConformance, bernoulli) {
  const Bernoulli table[] = {{"theta", 1.00678968411, 1.00721797217, 1407.5124227, 1291.7131224, 1412.5651003,
                              1377.5030282, .00323399161, .00216421367, 1.0016825161},
                             {"lp__", 1.00073006946, 1.00035489482, 1512.7683770, 1591.9706688, 1341.6851277,
                              1335.4136679, .0201647780, .0308898301, 1.0003649428}};
  for (const Bernoulli& e : table) {
    SCOPED_TRACE(e.name);
    const auto draws = bernoulli(e.name);
    const QuantityView x = quantity(draws.view(), 0);
    EXPECT_NEAR(rhat(x) / e.rhat, 1, tolerance);
    EXPECT_NEAR(rhat_split(x) / e.rhat_split, 1, tolerance);
    EXPECT_NEAR(ess_bulk(x) / e.ess_bulk, 1, tolerance);
    EXPECT_NEAR(ess_tail(x) / e.ess_tail, 1, tolerance);
    EXPECT_NEAR(ess_mean(x) / e.ess_mean, 1, tolerance);
    EXPECT_NEAR(ess_plain(x) / e.ess_plain, 1, tolerance);
    EXPECT_NEAR(mcse_mean(x) / e.mcse_mean, 1, tolerance);
    EXPECT_NEAR(mcse_sd(x) / e.mcse_sd, 1, tolerance);
    EXPECT_NEAR(rhat_plain(x) / reference::rhat_of(draws.of(0)), 1, 1e-13);  // not published
    EXPECT_NEAR(rhat_nested(x, {1, 2, 1, 2}) / e.nested_1212, 1, 1e-10);
  }
  const auto lp = bernoulli("lp__");
  EXPECT_NEAR(rhat_nested(quantity(lp.view(), 0), {1, 1, 2, 2}) / 1.0002877186, 1, 1e-10);
}

TEST(ConvergenceConformance, summary_is_made_of_the_same) {
  const auto draws = bernoulli("theta");
  const QuantityView x = quantity(draws.view(), 0);
  const QuantitySummary s = summarise_quantities(draws.view(), 1).at(0);
  EXPECT_NEAR(s.mean, mean(x), 1e-15);
  EXPECT_NEAR(s.sd, sd(x), 1e-15);
  EXPECT_EQ(s.mad, mad(x));
  EXPECT_EQ(s.q5, quantile(x, 0.05));
  EXPECT_EQ(s.q95, quantile(x, 0.95));
  EXPECT_EQ(s.rhat, rhat(x));
  EXPECT_EQ(s.rhat, std::max(rhat_bulk(x), rhat_folded(x)));
  EXPECT_EQ(s.ess_bulk, ess_bulk(x));
  EXPECT_EQ(s.ess_tail, ess_tail(x));
  EXPECT_EQ(s.mcse_mean, mcse_mean(x));
  EXPECT_EQ(s.mcse_sd, mcse_sd(x));
  EXPECT_EQ(s.mcse_q5, mcse_quantile(x, 0.05));
  EXPECT_EQ(s.mcse_q50, mcse_median(x));
  EXPECT_EQ(s.mcse_q95, mcse_quantile(x, 0.95));
  EXPECT_EQ(s.not_finite, 0u);
  EXPECT_FALSE(s.constant);
}

}  // namespace
