// Summaries of rejection runs and discrete draws, against arithmetic.
#include "manychain/montecarlo/rejection.hpp"

#include <algorithm>

#include "manychain/montecarlo/discrete.hpp"
#include "statistical/z_test.hpp"
#include "unit/montecarlo/expect.hpp"

namespace manychain::montecarlo::test {
namespace {

TEST(Rejection, ByHand) {
  const Rejection r = rejection({.proposed = 400, .accepted = 220}, 2);
  EXPECT_DOUBLE_EQ(r.acceptance_rate, 0.55);
  EXPECT_DOUBLE_EQ(r.expected_rate, 0.5);
  EXPECT_DOUBLE_EQ(r.z_score, 2) << "0.05 over sqrt(0.25 / 400) = 0.025";
  const double p = 220.5 / 401;
  EXPECT_DOUBLE_EQ(r.standard_error, std::sqrt(p * (1 - p) / 400));
  EXPECT_DOUBLE_EQ(r.normalising_constant, 1.1);
  EXPECT_DOUBLE_EQ(r.normalising_error, 2 * r.standard_error);
  EXPECT_TRUE(r.bounded);
}

TEST(Rejection, ErrorsAreNeverZero) {
  EXPECT_GT(rejection({.proposed = 10}, 2).standard_error, 0);
  EXPECT_GT(rejection({.proposed = 10, .accepted = 10}, 2).standard_error, 0);
  EXPECT_EQ(rejection({.proposed = 10, .accepted = 10}, 1).z_score, 0) << "the proposal is the target";
  EXPECT_EQ(rejection({.proposed = 10, .accepted = 9}, 1).z_score, -INFINITY) << "which never rejects";
}

TEST(Rejection, OfAnUnknownIntegral) {
  const Rejection r = rejection({.proposed = 100, .accepted = 25, .above_bound = 1}, 8, NAN);
  EXPECT_TRUE(std::isnan(r.expected_rate) && std::isnan(r.z_score));
  EXPECT_DOUBLE_EQ(r.normalising_constant, 2);
  EXPECT_FALSE(r.bounded);
}

TEST(Rejection, Refuses) {
  EXPECT_EQ(error_of([] { rejection({}, 2); }), "rejection: nothing was proposed");
  EXPECT_NE(error_of([] { rejection({.proposed = 1, .accepted = 2}, 2); }).find("not counts of one run"),
            std::string::npos);
  EXPECT_NE(error_of([] { rejection({.proposed = 1}, 0.5); }).find("the integral 1 is not allowed with the bound 0.5"),
            std::string::npos);
  for (double bound : {0.0, -1.0, double(INFINITY), double(NAN)}) {
    EXPECT_NE(error_of([&] { rejection({.proposed = 1}, bound); }).find("positive and finite"), std::string::npos);
  }
}

// Target Beta(2, 2), 6 x (1 - x), uniform proposals, M = 3/2. Rate 2/3, a z-test: false alarm 5e-10.
TEST(Rejection, OfABetaDistribution) {
  constexpr int n = 200000;
  const std::vector<double> u = uniform_draws(2, 2 * n);
  RejectionRun run{.proposed = n};
  statistical::Moments squares;
  for (std::size_t i = 0; i < u.size(); i += 2) {
    const double x = u[i], f = 6 * x * (1 - x);
    run.above_bound += f > 1.5;
    if (u[i + 1] * 1.5 > f) continue;
    ++run.accepted;
    squares.add((x - 0.5) * (x - 0.5));
  }
  const Rejection r = rejection(run, 1.5);
  EXPECT_TRUE(r.bounded);
  EXPECT_LT(std::fabs(r.z_score), statistical::threshold);
  EXPECT_LT(std::fabs(statistical::z_of_mean(squares, 0.05)), statistical::threshold);
  EXPECT_NEAR(r.normalising_constant, 1, statistical::threshold * r.normalising_error);
}

TEST(DiscreteInverseCdf, EachIndexHasItsInterval) {
  const DiscreteInverseCdf table(std::vector<double>{0.125, 0, 0.25, 0.625, 0});
  EXPECT_EQ(table.cdf(), (std::vector<double>{0.125, 0.125, 0.375, 1, 1}));
  const auto expect = [&](double u, std::size_t i) { EXPECT_EQ(table.index(u), i) << u; };
  expect(0, 0);
  expect(1e-300, 0);
  expect(0.125, 0);
  expect(std::nextafter(0.125, 1), 2);
  expect(0.375, 2);
  expect(std::nextafter(0.375, 1), 3);
  expect(1, 3);
}

TEST(DiscreteInverseCdf, NeverGivesAnImpossibleIndex) {
  const DiscreteInverseCdf first(std::vector<double>{0, 0, 1, 0});
  for (double u : {0.0, 0x1p-54, 0.5, 1.0}) EXPECT_EQ(first.index(u), 2u);
  const DiscreteInverseCdf only(std::vector<double>{1});
  for (double u : {0.0, 0.5, 1.0}) EXPECT_EQ(only.index(u), 0u);
}

TEST(DiscreteInverseCdf, SumsOfManyEntriesEndAtOne) {
  const std::vector<double> tenths(1000000, 1e-6);
  const DiscreteInverseCdf table(tenths);
  EXPECT_EQ(table.cdf().back(), 1);
  EXPECT_NEAR(table.cdf()[499999], 0.5, 1e-15) << "summed with compensation";
  EXPECT_TRUE(std::is_sorted(table.cdf().begin(), table.cdf().end()));
  EXPECT_EQ(table.index(1), tenths.size() - 1);
}

TEST(DiscreteInverseCdf, Refuses) {
  const auto refuse = [](std::vector<double> p) { return error_of([&] { DiscreteInverseCdf table(p); }); };
  EXPECT_EQ(refuse({}), "probabilities: there are none");
  EXPECT_EQ(refuse({0.5, -0.1, 0.6}), "probabilities[1] is -0.1; it must be finite and not negative");
  EXPECT_EQ(refuse({0.5, 0.5, NAN}), "probabilities[2] is nan; it must be finite and not negative");
  EXPECT_EQ(refuse({INFINITY}), "probabilities[0] is inf; it must be finite and not negative");
  EXPECT_EQ(refuse({0.5, 0.25}), "probabilities: the sum is 0.75, not 1");
  EXPECT_EQ(refuse({0, 0}), "probabilities: the sum is 0, not 1");
  const DiscreteInverseCdf table(std::vector<double>{1});
  for (double u : {-0.1, 1.1, double(NAN)}) {
    EXPECT_NE(error_of([&] { table.index(u); }).find("must be inside [0, 1]"), std::string::npos);
  }
}

// Pearson's chi-square of 200000 draws of four, beside 45, which three degrees of freedom exceed with
// probability 9.3e-10 (P = erfc(sqrt(x / 2)) + sqrt(2 x / pi) exp(-x / 2)).
TEST(DiscreteInverseCdf, DrawsHaveTheirFrequencies) {
  const std::vector<double> p = {0.1, 0.2, 0.3, 0.4};
  const DiscreteInverseCdf table(p);
  constexpr int n = 200000;
  std::vector<double> counts(4, 0);
  for (double u : uniform_draws(3, n)) counts[table.index(u)] += 1;
  double chi2 = 0;
  for (std::size_t i = 0; i < 4; ++i) chi2 += (counts[i] - n * p[i]) * (counts[i] - n * p[i]) / (n * p[i]);
  EXPECT_LT(chi2, 45);
}

}  // namespace
}  // namespace manychain::montecarlo::test
