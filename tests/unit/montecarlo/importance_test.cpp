// Importance sampling against closed forms, and k-hat against tails of known shape.
#include "manychain/montecarlo/importance.hpp"

#include <algorithm>
#include <numeric>

#include "statistical/z_test.hpp"
#include "unit/montecarlo/expect.hpp"

namespace manychain::montecarlo::test {
namespace {

using statistical::threshold;

/// The quantiles (i - 1/2) / n of a generalised Pareto distribution, ascending.
std::vector<double> pareto_quantiles(double k, double sigma, int n) {
  std::vector<double> x;
  for (int i = 1; i <= n; ++i) {
    const double survival = 1 - (i - 0.5) / n;
    x.push_back(k == 0 ? -sigma * std::log(survival) : sigma * (std::pow(survival, -k) - 1) / k);
  }
  return x;
}

TEST(GeneralisedPareto, FindsTheShapeOfExactQuantiles) {
  for (double k : {-0.4, 0.0, 0.3, 0.5, 0.7, 1.0, 1.5}) {
    const GeneralisedPareto fitted = fit_generalised_pareto(pareto_quantiles(k, 3, 10000), false);
    EXPECT_NEAR(fitted.k, k, 0.005) << k;
    EXPECT_NEAR(fitted.sigma, 3, 0.03) << k;
  }
}

TEST(GeneralisedPareto, TheEstimateDoesNotDependOnTheUnit) {
  std::vector<double> x = pareto_quantiles(0.4, 1, 200);
  const GeneralisedPareto one = fit_generalised_pareto(x);
  for (double& value : x) value *= 1e-200;
  const GeneralisedPareto tiny = fit_generalised_pareto(x);
  EXPECT_NEAR(tiny.k, one.k, 1e-12);
  EXPECT_NEAR(tiny.sigma / one.sigma, 1e-200, 1e-212);
}

/// Zhang and Stephens (2009) with the prior of Vehtari et al., written down once more from the papers in long double:
/// b_j = 1 / x_n + (1 - sqrt(m / (j - 1/2))) / (3 x_q), k_j = mean log(1 - b_j x), L_j = n (log(-b_j / k_j) - k_j - 1),
/// b = sum b_j / sum_i exp(L_i - L_j), k = (n k + 5) / (n + 10).
long double shape_by_definition(const std::vector<double>& x) {
  const auto n = static_cast<long double>(x.size());
  const std::size_t m = 30 + static_cast<std::size_t>(std::sqrt(double(x.size())));
  std::vector<long double> b(m), likelihood(m);
  const auto k_of = [&](long double theta) {
    long double sum = 0;
    for (double xi : x) sum += std::log1p(-theta * xi);
    return sum / n;
  };
  for (std::size_t j = 0; j < m; ++j) {
    const long double quartile = x[static_cast<std::size_t>(std::floor(x.size() / 4.0 + 0.5)) - 1];
    b[j] = 1 / static_cast<long double>(x.back()) +
           (1 - std::sqrt(static_cast<long double>(m) / (static_cast<long double>(j) + 0.5L))) / (3 * quartile);
    likelihood[j] = n * (std::log(-b[j] / k_of(b[j])) - k_of(b[j]) - 1);
  }
  long double mean = 0;
  for (std::size_t j = 0; j < m; ++j) {
    long double sum = 0;
    for (std::size_t i = 0; i < m; ++i) sum += std::exp(likelihood[i] - likelihood[j]);
    mean += b[j] / sum;
  }
  return (n * k_of(mean) + 5) / (n + 10);
}

TEST(GeneralisedPareto, IsTheFormulaOfThePapers) {
  for (int n : {6, 7, 20, 61, 300}) {
    std::vector<double> x = uniform_draws(static_cast<std::uint64_t>(n), n);
    for (double& u : x) u = 1 / std::sqrt(u) - 1;
    std::sort(x.begin(), x.end());
    EXPECT_NEAR(fit_generalised_pareto(x).k, static_cast<double>(shape_by_definition(x)), 1e-11) << n;
  }
}

TEST(GeneralisedPareto, IsNotFittedToTooLittle) {
  const auto k = [](std::vector<double> x) { return fit_generalised_pareto(x).k; };
  EXPECT_TRUE(std::isnan(k({})));
  EXPECT_TRUE(std::isnan(k({1, 2, 3, 4, 5}))) << "the first quartile of five is the smallest";
  EXPECT_TRUE(std::isnan(k({1, 1, 1, 1, 1, 1})));
  EXPECT_TRUE(std::isnan(k({1, 2, 3, 4, 5, 6, 7, 8, 9, INFINITY})));
  EXPECT_NE(error_of([] { fit_generalised_pareto(std::vector<double>{2, 1, 3, 4, 5}); }), "no error");
}

TEST(Importance, ByHand) {
  const std::vector<double> log_weights = {std::log(1.0), -INFINITY, std::log(2.0), std::log(5.0)};
  const Importance r = importance(log_weights);
  const std::vector<double> expected = {0.125, 0, 0.25, 0.625};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(r.weights[i], expected[i]);
  EXPECT_DOUBLE_EQ(r.ess, 64.0 / 30);
  EXPECT_DOUBLE_EQ(r.log_normalising_constant, std::log(2.0));
  // Variance (1 + 4 + 0 + 9) / 3, over 4 draws and the mean 2.
  EXPECT_DOUBLE_EQ(r.log_normalising_error, std::sqrt(14.0 / 3 / 4) / 2);
  EXPECT_TRUE(std::isnan(r.pareto_k));
  EXPECT_FALSE(r.trustworthy);
  EXPECT_EQ(r.smoothed_weights, r.weights);

  const std::vector<double> values = {8, NAN, 4, -1.6};
  const ImportanceExpectation e = importance_expectation(log_weights, values);
  // w f is 8, 0, 8, -8; the weight of zero hides the value.
  EXPECT_DOUBLE_EQ(e.plain, 2);
  EXPECT_NEAR(e.plain_error, std::sqrt((36 + 4 + 36 + 100) / 3.0 / 4), 1e-14);
  EXPECT_DOUBLE_EQ(e.self_normalised, 1);
  EXPECT_NEAR(e.self_normalised_error, std::sqrt(0.875 * 0.875 + 0.75 * 0.75 + 1.625 * 1.625), 1e-14);
  EXPECT_FALSE(e.trustworthy);
}

TEST(Importance, AConstantFactorChangesNothingButTheConstant) {
  std::vector<double> log_weights, moved;
  for (double u : uniform_draws(5, 500)) log_weights.push_back(-0.4 * std::log(u)), moved.push_back(log_weights.back());
  for (double& lw : moved) lw += 5000;
  const Importance a = importance(log_weights), b = importance(moved);
  EXPECT_NEAR(b.log_normalising_constant - a.log_normalising_constant, 5000, 1e-9);
  EXPECT_NEAR(b.ess, a.ess, 1e-8 * a.ess);
  EXPECT_NEAR(b.pareto_k, a.pareto_k, 1e-8);
  EXPECT_EQ(b.trustworthy, a.trustworthy);
}

/// Log weights of the target Exp(a) and draws x of Exp(b): w = a / b exp((b - a) x), P(w > t) ~ t^(-b / (b - a)), so
/// that k = 1 - a / b for a < b.
std::vector<double> exponential_weights(double a, double b, const std::vector<double>& survival) {
  std::vector<double> log_weights;
  for (double s : survival) log_weights.push_back(std::log(a / b) - (b - a) * std::log(s) / b);
  return log_weights;
}

TEST(Importance, KnowsTheTailOfExponentialRatios) {
  constexpr int n = 100000;
  std::vector<double> survival;
  for (int i = 0; i < n; ++i) survival.push_back((i + 0.5) / n);
  for (double k : {0.1, 0.3, 0.5, 0.65, 0.8, 0.95}) {
    const Importance r = importance(exponential_weights(1 - k, 1, survival));
    EXPECT_EQ(r.tail, 949u) << "3 sqrt(S), rounded up";
    EXPECT_NEAR(r.pareto_k, k, 0.02) << k;  // ten of 959 parts are the prior's
    EXPECT_EQ(r.trustworthy, k < 0.7) << k;
    EXPECT_DOUBLE_EQ(r.k_threshold, 0.7);
  }
}

// k-hat of draws scatters about k by (1 + k) / sqrt(M) (Smith 1985). Twelve z-tests; false alarm 5e-10 each as far as
// k-hat is normal.
TEST(Importance, KnowsTheTailOfDraws) {
  constexpr int n = 100000;
  for (std::uint64_t seed : {1, 2, 3, 4}) {
    const std::vector<double> u = uniform_draws(seed, n);
    for (double k : {0.2, 0.5, 0.9}) {
      const Importance r = importance(exponential_weights(1 - k, 1, u));
      EXPECT_NEAR(r.pareto_k, k, threshold * (1 + k) / std::sqrt(949.0)) << k << " " << seed;
    }
  }
}

// Exp(1) from Exp(1/2): weights 2 exp(-x/2) are bounded, k = -1, the normaliser is 1 and E x = 1. Six z-tests.
TEST(Importance, AProposalWithHeavierTailsIsTrusted) {
  constexpr int n = 200000;
  const std::vector<double> u = uniform_draws(6, n);
  std::vector<double> log_weights = exponential_weights(1, 0.5, u), x;
  for (double s : u) x.push_back(-2 * std::log(s));
  const Importance r = importance(log_weights);
  EXPECT_TRUE(r.trustworthy) << r.verdict;
  EXPECT_NEAR(r.pareto_k, -1, 0.1);
  EXPECT_NEAR(r.log_normalising_constant, 0, threshold * r.log_normalising_error);
  // Var w = 4 E exp(-x) - 1 = 4/3 - 1; ESS / S = 1 / E w^2 = 3/4.
  EXPECT_NEAR(r.log_normalising_error, std::sqrt(1.0 / 3 / n), 0.02 * std::sqrt(1.0 / 3 / n));
  EXPECT_NEAR(r.ess / n, 0.75, 0.01);
  const ImportanceExpectation e = importance_expectation(log_weights, x);
  EXPECT_NEAR(e.plain, 1, threshold * e.plain_error);
  EXPECT_NEAR(e.self_normalised, 1, threshold * e.self_normalised_error);
  EXPECT_NEAR(e.smoothed, 1, threshold * e.smoothed_error);
  // E (w x)^2 = 2 int x^2 exp(-3 x / 2) = 32/27; E w^2 (x - 1)^2 = 32/27 - 2 * 8/9 + 4/3 = 20/27.
  EXPECT_NEAR(e.plain_error, std::sqrt((32.0 / 27 - 1) / n), 0.02 * std::sqrt((32.0 / 27 - 1) / n));
  EXPECT_NEAR(e.self_normalised_error, std::sqrt(20.0 / 27 / n), 0.02 * std::sqrt(20.0 / 27 / n));
}

// The delta method at work: over 2000 runs of 400 draws the squared scores average to one, +- sqrt(2 / 2000) for normal
// estimates; that ratios of 400 draws are not quite normal and biased costs at most 0.02.
TEST(Importance, ErrorsAreAsLargeAsTheySay) {
  constexpr int runs = 2000, draws = 400;
  const std::vector<double> u = uniform_draws(7, runs * draws);
  double plain = 0, ratio = 0;
  for (int run = 0; run < runs; ++run) {
    const std::vector<double> part(u.begin() + run * draws, u.begin() + (run + 1) * draws);
    std::vector<double> x;
    for (double s : part) x.push_back(-2 * std::log(s));
    const ImportanceExpectation e = importance_expectation(exponential_weights(1, 0.5, part), x);
    plain += std::pow((e.plain - 1) / e.plain_error, 2) / runs;
    ratio += std::pow((e.self_normalised - 1) / e.self_normalised_error, 2) / runs;
  }
  EXPECT_NEAR(plain, 1, threshold * std::sqrt(2.0 / runs) + 0.02);
  EXPECT_NEAR(ratio, 1, threshold * std::sqrt(2.0 / runs) + 0.02);
}

TEST(Importance, SmoothedWeightsAreQuantilesOfTheTail) {
  constexpr int n = 1000;
  const std::vector<double> log_weights = exponential_weights(0.4, 1, uniform_draws(8, n));
  const Importance r = importance(log_weights);
  ASSERT_EQ(r.tail, 95u);  // 3 sqrt(1000) = 94.9
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto i, auto j) { return log_weights[i] < log_weights[j]; });
  const double scale = r.smoothed_weights[order[0]] / r.weights[order[0]];
  const double cutoff = r.weights[order[n - 96]];
  std::vector<double> excesses;
  for (std::size_t i = n - 95; i < n; ++i) excesses.push_back(r.weights[order[i]] - cutoff);
  const GeneralisedPareto fitted = fit_generalised_pareto(excesses);
  EXPECT_NEAR(fitted.k, r.pareto_k, 1e-12);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double w = r.weights[order[i]], smoothed = r.smoothed_weights[order[i]] / scale;
    sum += r.smoothed_weights[order[i]];
    if (i < n - 95) {
      EXPECT_NEAR(smoothed, w, 1e-12 * w) << "below the tail nothing changes";
    } else {
      const double p = (double(i - (n - 95)) + 0.5) / 95;
      const double quantile = cutoff + fitted.sigma * (std::pow(1 - p, -fitted.k) - 1) / fitted.k;
      EXPECT_NEAR(smoothed, std::fmin(quantile, r.weights[order[n - 1]]), 1e-10 * quantile) << i;
    }
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Importance, NeverReadsAsFineWhereItIsNotKnown) {
  const auto unknown = [](std::vector<double> log_weights, const char* words) {
    const Importance r = importance(log_weights);
    EXPECT_TRUE(std::isnan(r.pareto_k));
    EXPECT_FALSE(r.trustworthy);
    EXPECT_EQ(r.verdict.rfind(words, 0), 0u) << r.verdict;
    EXPECT_EQ(r.smoothed_weights, r.weights);
    return r;
  };
  const Importance one = unknown({-7}, "Not known: 1 draws have 0 weights in their tail, and k-hat needs 6");
  EXPECT_EQ(one.ess, 1);
  EXPECT_EQ(one.log_normalising_constant, -7);
  EXPECT_TRUE(std::isnan(one.log_normalising_error));
  unknown(std::vector<double>(1000, 2.5), "Not known: the largest weights are equal");
  std::vector<double> few(1000, -INFINITY);
  for (std::size_t i = 0; i < 4; ++i) few[i] = -double(i);
  unknown(few, "Not known: 1000 draws have 4 weights in their tail");
  std::vector<double> lost(1000, -2000);
  lost[3] = 0;
  EXPECT_NEAR(unknown(lost, "Not known").ess, 1, 1e-12);
}

TEST(Importance, AWeightOfZeroStaysZero) {
  std::vector<double> log_weights(100, -INFINITY);
  const std::vector<double> u = uniform_draws(9, 12);
  for (std::size_t i = 0; i < u.size(); ++i) log_weights[i] = -0.3 * std::log(u[i]);
  const Importance r = importance(log_weights);
  EXPECT_EQ(r.tail, 12u);
  EXPECT_FALSE(std::isnan(r.pareto_k));
  for (std::size_t i = 12; i < 100; ++i) EXPECT_EQ(r.smoothed_weights[i], 0);
}

TEST(Importance, SaysHowManyDrawsAreNeeded) {
  // 100 draws allow 1 - 1/2; the fitted k of these quantiles is above it and below 0.7.
  std::vector<double> survival;
  for (int i = 0; i < 100; ++i) survival.push_back((i + 0.5) / 100);
  const Importance r = importance(exponential_weights(0.35, 1, survival));
  ASSERT_GT(r.pareto_k, 0.5);
  ASSERT_LT(r.pareto_k, 0.7);
  EXPECT_DOUBLE_EQ(r.k_threshold, 0.5);
  EXPECT_FALSE(r.trustworthy);
  EXPECT_NE(r.verdict.find("100 draws allow; take at least"), std::string::npos) << r.verdict;
}

TEST(Importance, Refuses) {
  EXPECT_EQ(error_of([] { importance(std::vector<double>{}); }), "importance: there is no weight");
  EXPECT_EQ(error_of([] { importance(std::vector<double>(3, -INFINITY)); }),
            "importance: all weights are zero; no draw is where the target is");
  EXPECT_EQ(error_of([] { importance(std::vector<double>{0, NAN}); }), "importance: log_weights[1] is nan");
  EXPECT_EQ(error_of([] { importance(std::vector<double>{INFINITY}); }), "importance: log_weights[0] is inf");
  const std::vector<double> two = {0, 0};
  EXPECT_EQ(error_of([&] { importance_expectation(two, std::vector<double>{1}); }),
            "importance: 2 weights and 1 values");
  EXPECT_EQ(error_of([&] {
              importance_expectation(two, std::vector<double>{1, NAN});
            }),
            "importance: values[1] is nan");
}

}  // namespace
}  // namespace manychain::montecarlo::test
