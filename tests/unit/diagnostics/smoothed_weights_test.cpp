// Pareto smoothed weights: the shape of a known tail, and estimates from it.
#include "diagnostics/smoothed_weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace manychain::diagnostics {
namespace {

/// Logarithms of the quantiles of a Pareto distribution: w = (1 - p)^-k, in an order that is not theirs.
std::vector<double> pareto_weights(std::size_t count, double k) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = i * 7919 % count;  // a prime that does not divide the count
    weights.push_back(-k * std::log1p(-(static_cast<double>(place) + 0.5) / static_cast<double>(count)));
  }
  return weights;
}

double mean_of(const std::vector<double>& log_weights) {
  double sum = 0;
  for (const double x : log_weights) sum += std::exp(x);
  return sum / static_cast<double>(log_weights.size());
}

TEST(SmoothedWeights, HaveTheShapeOfTheirTail) {
  for (const double k : {0.2, 0.5, 0.8}) {
    std::vector<double> weights = pareto_weights(4000, k);
    const double largest = *std::max_element(weights.begin(), weights.end());
    // 190 excesses over a threshold are a Pareto distribution of the same shape, known to (1 + k) / sqrt(190) = 0.13.
    EXPECT_NEAR(smooth_weights(weights), k, 0.13) << k;
    EXPECT_LE(*std::max_element(weights.begin(), weights.end()), 0) << k;
    // Quantiles are smooth already: their mean, in units of the largest, stays.
    const double mean = mean_of(pareto_weights(4000, k)) / std::exp(largest);
    EXPECT_NEAR(mean_of(weights) / mean, 1, 0.02) << k;
  }
}

TEST(SmoothedWeights, KeepTheirOrder) {
  std::vector<double> weights = pareto_weights(1000, 0.4);
  const std::vector<double> before = weights;
  smooth_weights(weights);
  for (std::size_t i = 0; i + 1 < before.size(); ++i)
    if (before[i] < before[i + 1]) {
      EXPECT_LE(weights[i], weights[i + 1] + 1e-12) << i;
    }
}

TEST(SmoothedWeights, WithoutATailStayAsTheyAre) {
  std::vector<double> equal(500, 3.0), few = {1, 2, 3}, none, infinite = {0, INFINITY};
  EXPECT_TRUE(std::isnan(smooth_weights(equal)));
  EXPECT_EQ(equal, std::vector<double>(500, 0.0));
  EXPECT_TRUE(std::isnan(smooth_weights(few)));
  EXPECT_EQ(few, (std::vector<double>{-2, -1, 0}));
  EXPECT_TRUE(std::isnan(smooth_weights(none)));
  EXPECT_TRUE(std::isnan(smooth_weights(infinite)));
}

}  // namespace
}  // namespace manychain::diagnostics
