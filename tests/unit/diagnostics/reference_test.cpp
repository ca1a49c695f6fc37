// Every statistic against the plain reference, on draws of many shapes: the one implementation is held to it here.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "manychain/diagnostics/convergence.hpp"
#include "unit/diagnostics/draws.hpp"
#include "unit/diagnostics/statistics.hpp"

namespace {

using namespace manychain::diagnostics;
using test_draws::autoregressions;

// The difference left is the rounding of sums and, in the lags, its amplification by 1 - (W - acov) / var+.
constexpr double tolerance = 1e-11;

void expect_same(double actual, double expected, const std::string& name) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual)) << name << ": " << actual;
  } else {
    EXPECT_NEAR(actual, expected, tolerance * std::abs(expected)) << name;
  }
}

struct Shape {
  const char* name;
  std::size_t draws, chains;
  double coefficient, grid;
};

class Reference : public testing::TestWithParam<Shape> {};

// Slow chains go through the Fourier transform: at phi = 0.999 Geyer's sequence has thousands of lags.
INSTANTIATE_TEST_SUITE_P(Shapes, Reference,
                         testing::Values(Shape{"even", 100, 4, 0.5, 0}, Shape{"odd", 101, 5, 0.5, 0},
                                         Shape{"one_chain", 1000, 1, 0.9, 0}, Shape{"negative", 57, 3, -0.6, 0},
                                         Shape{"antithetic", 300, 5, -0.99, 0}, Shape{"many_chains", 16, 700, 0.3, 0},
                                         Shape{"ties", 33, 257, 0.9, 0.5}, Shape{"discrete", 201, 8, 0.3, 1},
                                         Shape{"few_values", 64, 9, 0.95, 2}, Shape{"shortest", 6, 50, 0.2, 0},
                                         Shape{"odd_shortest", 7, 50, 0.9, 0}, Shape{"slow", 8000, 2, 0.999, 0},
                                         Shape{"slow_discrete", 6001, 3, 0.995, 1}),
                         [](const auto& of) { return std::string(of.param.name); });

template <class Number>
void hold_to_reference(const Shape& shape, unsigned seed) {
  const auto draws = autoregressions<Number>(shape.draws, 1, shape.chains, shape.coefficient, seed, shape.grid);
  const reference::Chains chains = draws.of(0);
  const auto twice = test_draws::from(chains);
  const QuantityView x = quantity(twice.view(), 0);
  for (const auto& s : test_draws::dimensionless) expect_same(s.of(x), s.reference(chains), s.name);
  for (const auto& s : test_draws::scaled) expect_same(s.of(x), s.reference(chains), s.name);
  for (double p : {0.0, 0.01, 0.3, 0.95, 1.0}) {
    const std::string at = " at " + std::to_string(p);
    EXPECT_NEAR(quantile(x, p), reference::quantile(chains, p), 1e-14 * (1 + std::abs(quantile(x, p)))) << at;
    expect_same(ess_quantile(x, p), reference::ess_quantile(chains, p), "ess_quantile" + at);
    expect_same(mcse_quantile(x, p), reference::mcse_quantile(chains, p), "mcse_quantile" + at);
  }

  // The summaries, of the draws in their own precision.
  const QuantitySummary s = summarise_quantities(draws.view(), 1).at(0);
  EXPECT_NEAR(s.mean, chains.mean(), 1e-13 * reference::sd(chains));
  expect_same(s.sd, reference::sd(chains), "sd");
  expect_same(s.mad, reference::mad(chains), "mad");
  expect_same(s.rhat, reference::rhat(chains), "rhat");
  expect_same(s.ess_bulk, reference::ess_bulk(chains), "ess_bulk");
  expect_same(s.ess_tail, reference::ess_tail(chains), "ess_tail");
  expect_same(s.mcse_mean, reference::mcse_mean(chains), "mcse_mean");
  expect_same(s.mcse_sd, reference::mcse_sd(chains), "mcse_sd");
  expect_same(s.mcse_q5, reference::mcse_quantile(chains, 0.05), "mcse_q5");
  EXPECT_TRUE(std::isnan(s.rhat_nested));
  for (std::size_t superchains : {2, 3, 7}) {
    if (superchains > shape.chains) continue;
    expect_same(manychain::summarise(draws.view(), 1, superchains)[0].rhat_nested,
                reference::rhat_nested(chains, superchains), "rhat_nested of " + std::to_string(superchains));
    std::vector<std::size_t> label;
    for (std::size_t c = 0; c < shape.chains; ++c) label.push_back(c % superchains);
    expect_same(rhat_nested(x, label), reference::rhat_nested_of(chains, label, superchains), "of the draws");
  }
}

TEST_P(Reference, double_precision) { hold_to_reference<double>(GetParam(), 51); }
TEST_P(Reference, single_precision) { hold_to_reference<float>(GetParam(), 52); }

TEST(NestedRhat, sees_superchains_apart) {
  auto draws = autoregressions<double>(40, 1, 12, 0.2, 53);
  for (std::size_t t = 0; t < 40; ++t) {
    for (std::size_t c = 0; c < 12; c += 3) draws.at(t, 0, c) += 2;
  }
  const auto together = manychain::summarise(draws.view(), 1, 4)[0];
  const auto apart = manychain::summarise(draws.view(), 1, 3)[0];
  EXPECT_GT(apart.rhat_nested, 1.3);
  EXPECT_LT(together.rhat_nested, 1.15);
  EXPECT_EQ(together.rhat, apart.rhat);
  // More superchains than chains: each chain is one.
  EXPECT_EQ(manychain::summarise(draws.view(), 1, 99)[0].rhat_nested,
            manychain::summarise(draws.view(), 1, 12)[0].rhat_nested);
  EXPECT_TRUE(std::isnan(manychain::summarise(draws.view(), 1, 1)[0].rhat_nested));
}

TEST(NestedRhat, of_short_chains) {
  // Two draws per chain are enough in a summary, whose split R-hat asks for six.
  const auto draws = autoregressions<double>(2, 1, 300, 0.2, 54);
  const auto s = manychain::summarise(draws.view(), 1, 10)[0];
  EXPECT_NEAR(s.rhat_nested, reference::rhat_nested(draws.of(0), 10), tolerance);
  EXPECT_TRUE(std::isnan(s.rhat));
  EXPECT_TRUE(
      std::isnan(manychain::summarise(autoregressions<double>(1, 1, 300, 0.2, 55).view(), 1, 10)[0].rhat_nested));
}

TEST(Autocorrelation, like_the_reference) {
  const auto draws = autoregressions<double>(900, 1, 3, 0.8, 56);
  const reference::Chains chains = draws.of(0);
  for (std::size_t max_lag : {20, 899}) {  // products, and the transform
    const auto rho = autocorrelation(quantity(draws.view(), 0), max_lag);
    ASSERT_EQ(rho.size(), max_lag + 1);
    for (std::size_t t = 0; t <= max_lag; ++t) {
      const double expected = reference::autocovariance(chains, Eigen::Index(t)) / reference::autocovariance(chains, 0);
      EXPECT_NEAR(rho[t], expected, 1e-14) << t;
    }
  }
}

}  // namespace
