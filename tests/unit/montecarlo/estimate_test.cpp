// Means, their errors and intervals, against closed forms.
#include "manychain/montecarlo/estimate.hpp"

#include <limits>

#include "statistical/z_test.hpp"
#include "unit/montecarlo/expect.hpp"

namespace manychain::montecarlo::test {
namespace {

// Tabulated values of the normal distribution (Abramowitz and Stegun, tables 26.1, 26.5, 26.6).
TEST(NormalQuantile, TabulatedValues) {
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(0.995), 2.575829303548901, 1e-14);
  EXPECT_NEAR(normal_quantile(0.84134474606854293), 1, 1e-14);
  EXPECT_EQ(normal_quantile(0.0625), -normal_quantile(0.9375));
}

TEST(NormalQuantile, InvertsTheDistributionFunctionFarOut) {
  for (double z : {-37.0, -20.0, -8.0, -5.1, -4.9, -1.0, -0.1}) {
    const double p = std::erfc(-z / std::sqrt(2.0)) / 2;
    EXPECT_NEAR(normal_quantile(p), z, 1e-13 * std::fabs(z)) << z;
  }
  EXPECT_EQ(normal_quantile(0), -INFINITY);
  EXPECT_EQ(normal_quantile(1), INFINITY);
}

TEST(NormalQuantile, RefusesWhatIsNoProbability) {
  for (double p : {-0.1, 1.1, std::nan("")}) {
    EXPECT_NE(error_of([&] { normal_quantile(p); }).find("is not a probability"), std::string::npos);
  }
}

TEST(MeanEstimate, ByHand) {
  // Mean 3, squares 4 + 1 + 0 + 1 + 4 = 10, sd = sqrt(10 / 4).
  const std::vector<double> values = {1, 2, 3, 4, 5};
  const Estimate e = mean_estimate(values);
  EXPECT_EQ(e.draws, 5u);
  EXPECT_DOUBLE_EQ(e.value, 3);
  EXPECT_DOUBLE_EQ(e.sd, std::sqrt(2.5));
  EXPECT_DOUBLE_EQ(e.standard_error, std::sqrt(0.5));
  EXPECT_NEAR(e.lower, 3 - 1.959963984540054 * std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(e.upper, 3 + 1.959963984540054 * std::sqrt(0.5), 1e-14);
  EXPECT_EQ(e.level, 0.95);
  EXPECT_NEAR(mean_estimate(values, 0.99).upper - 3, 2.575829303548901 * std::sqrt(0.5), 1e-14);
}

TEST(MeanEstimate, OfAnIntegrand) {
  const std::vector<double> draws = {-1, 0, 2};
  EXPECT_DOUBLE_EQ(mean_estimate(draws, [](double x) { return x * x; }).value, 5.0 / 3);
}

TEST(MeanEstimate, KeepsDigitsBesideALargeOffset) {
  const std::vector<double> values = {1e9 + 1, 1e9 + 2, 1e9 + 3};
  EXPECT_DOUBLE_EQ(mean_estimate(values).sd, 1);
}

TEST(MeanEstimate, OneDrawTellsNothingOfItsError) {
  const Estimate e = mean_estimate(std::vector<double>{7});
  EXPECT_EQ(e.value, 7);
  EXPECT_TRUE(std::isnan(e.standard_error) && std::isnan(e.lower) && std::isnan(e.upper));
}

TEST(MeanEstimate, Refuses) {
  EXPECT_EQ(error_of([] { mean_estimate(std::vector<double>{}); }), "mean estimate: there is no value");
  EXPECT_EQ(error_of([] {
              mean_estimate(std::vector<double>{1, 2, NAN});
            }),
            "mean estimate: values[2] is nan; its mean would be none");
  EXPECT_EQ(error_of([] {
              mean_estimate(std::vector<double>{1, -INFINITY});
            }),
            "mean estimate: values[1] is -inf; its mean would be none");
  EXPECT_EQ(error_of([] { mean_estimate(std::vector<double>{1}, 1); }),
            "mean estimate: level 1 is not allowed; it must be inside (0, 1)");
}

// Uniforms on (0, 1): of 4000 intervals of level 0.9 from 100 draws each, 0.9 +- 0.0047 cover 1/2; a two-sided z-test,
// false alarm 5e-10. That sd is estimated costs 0.001 of the coverage (Student's t), a fifth of a standard error.
TEST(MeanEstimate, IntervalsCoverAsOftenAsTheySay) {
  constexpr int runs = 4000, draws = 100;
  const std::vector<double> u = uniform_draws(1, runs * draws);
  int covered = 0;
  for (int r = 0; r < runs; ++r) {
    const Estimate e = mean_estimate(std::span(u).subspan(static_cast<std::size_t>(r) * draws, draws), 0.9);
    covered += e.lower <= 0.5 && 0.5 <= e.upper;
  }
  const double z = (covered / double(runs) - 0.9) / std::sqrt(0.9 * 0.1 / runs);
  EXPECT_LT(std::fabs(z), statistical::threshold);
}

}  // namespace
}  // namespace manychain::montecarlo::test
