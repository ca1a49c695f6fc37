// Weights of importance sampling: effective sample size and k-hat.
#include "diagnostics/weights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "manychain/montecarlo/importance.hpp"

namespace manychain::diagnostics {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Logarithms of weights with a Pareto tail of shape k, at the midpoints of equal shares.
std::vector<double> pareto(std::size_t count, double k) {
  std::vector<double> log_weights;
  for (std::size_t i = 0; i < count; ++i)
    log_weights.push_back(-k * std::log((static_cast<double>(i) + 0.5) / static_cast<double>(count)) + 300);
  return log_weights;
}

TEST(WeightQuality, is_that_of_the_library_of_estimates) {
  for (const double k : {0.1, 0.4, 0.9}) {
    std::vector<double> log_weights = pareto(4000, k);
    log_weights.push_back(-infinity);
    const montecarlo::Importance other = montecarlo::importance(log_weights);
    const WeightQuality found = weight_quality(log_weights);
    EXPECT_NEAR(found.ess, other.ess, 1e-9 * other.ess);
    EXPECT_NEAR(found.khat, other.pareto_k, 1e-9);
    EXPECT_NEAR(found.khat, k, 0.1);
    EXPECT_EQ(most_khat_of_weights(log_weights.size()), other.k_threshold);
  }
}

TEST(WeightQuality, edges) {
  std::vector<double> none, equal(1000, -3.0), zero(1000, -infinity), few{0, 1, 2};
  EXPECT_TRUE(std::isnan(weight_quality(none).ess));
  EXPECT_NEAR(weight_quality(equal).ess, 1000, 1e-9);
  EXPECT_TRUE(std::isnan(weight_quality(equal).khat));
  EXPECT_TRUE(std::isnan(weight_quality(zero).ess));
  EXPECT_GT(weight_quality(few).ess, 1);
  EXPECT_TRUE(std::isnan(weight_quality(few).khat));
  std::vector<double> one(1000, -infinity);
  one[17] = 5;
  EXPECT_NEAR(weight_quality(one).ess, 1, 1e-12);
  one[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(weight_quality(one).ess));
}

}  // namespace
}  // namespace manychain::diagnostics
