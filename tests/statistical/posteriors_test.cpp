// Posterior means of real data sets against references of other programs, from default settings but for the seed.
// Standard errors are those of the variance of the chains' means, which assumes nothing about autocorrelation.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "statistical/z_test.hpp"

namespace {

using namespace manychain;

struct Case {
  const char* name;
  const char* model;
  const char* data;  // of tests/data/posteriors, or null: what the model carries
};

class Posterior : public testing::TestWithParam<std::tuple<Case, Precision>> {};

TEST_P(Posterior, means_agree_with_the_reference) {
  const auto& [which, precision] = GetParam();
  const std::string folder = MANYCHAIN_TEST_DATA "/posteriors/";
  const Model model =
      which.data ? builtin_model(which.model, Data::from_file(folder + which.data)) : builtin_model(which.model);
  std::ifstream file(folder + which.name + ".reference.json");
  ASSERT_TRUE(file);
  const nlohmann::json reference = nlohmann::json::parse(file);

  Settings settings;
  settings.backend = Backend::cpu;
  settings.precision = precision;
  settings.seed = 1;
  settings.chains = 1024;
  // R-hat of n independent draws a half chain is about sqrt(1 + (tau - 1) / n), where tau, the autocorrelation time of
  // the squares, is 2.2 here. Thinned by four it is 1.0 to 1.1, and R-hat 1.001 at n = 50: far from 1.01.
  settings.sampling.draws = 100;
  settings.sampling.thin = 4;
  const Result result = sample(model, settings);
  EXPECT_TRUE(result.converged) << result.table();
  EXPECT_TRUE(result.sampling.outlying_chains.empty());

  std::size_t compared = 0;
  for (std::size_t i = 0; i < result.summary.size(); ++i) {
    const SummaryRow& row = result.summary[i];
    EXPECT_LT(row.statistics.rhat, 1.01) << row.name;
    if (!reference.contains(row.name)) continue;
    ++compared;
    statistical::Moments chains;
    for (std::size_t c = 0; c < result.draws.chains; ++c) {
      double mean = 0;
      for (std::size_t d = 0; d < result.draws.draws; ++d) mean += result.draws(d, i, c);
      chains.add(mean / static_cast<double>(result.draws.draws));
    }
    const double theirs = reference[row.name]["mean"], their_error = reference[row.name]["mcse_mean"];
    EXPECT_LT(std::fabs(chains.mean - theirs) / std::hypot(chains.error(), their_error), 5) << row.name;
    EXPECT_NEAR(row.statistics.sd / reference[row.name]["sd"].get<double>(), 1, 0.05) << row.name;
    EXPECT_NEAR(row.statistics.mean, chains.mean, 1e-5 * std::max(std::fabs(chains.mean), row.statistics.sd));
    // The summary states this error, or that of the 16 superchains where it is larger: the square of their ratio is
    // chi-square of 15 degrees of freedom over 15 (docs/diagnostics.md), above 5.02 with probability 5e-10.
    const double ratio = row.statistics.mcse_mean / chains.error();
    EXPECT_GT(ratio, 0.999) << row.name;
    EXPECT_LT(ratio, 2.25) << row.name;  // sqrt(5.02)
  }
  EXPECT_EQ(compared, reference.size());
}

INSTANTIATE_TEST_SUITE_P(All, Posterior,
                         testing::Combine(testing::Values(Case{"eight_schools", "eight_schools", nullptr},
                                                          Case{"sblrc", "linear_regression", nullptr},
                                                          Case{"sblri", "linear_regression", "sblri.json"},
                                                          Case{"logistic_regression", "logistic_regression", nullptr}),
                                          testing::Values(Precision::single_precision, Precision::double_precision)),
                         [](const auto& instance) {
                           return std::string(std::get<0>(instance.param).name) +
                                  (std::get<1>(instance.param) == Precision::single_precision ? "_single" : "_double");
                         });

}  // namespace
