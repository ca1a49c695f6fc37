// Autoregressions of order one, x_t = phi x_(t-1) + noise: S draws of them are worth S (1 - phi) / (1 + phi).
//
// The definition estimates tau = S / ESS from half chains of n draws, with means of their own, and this changes what it
// finds by parts of order tau / n that are known exactly: the expectations of the autocovariances and of the means'
// variance are sums of powers of phi. Put in place of the estimates they give the tau_n that is to be found; with n it
// becomes tau.
//
// The tolerance of an estimate:
//   - noise: relative variance 2 (2 T + 1) / S for a sum over T lags (Madras and Sokal 1988, equation 3.19), and the
//     means of the M half chains move all terms together, by 2 T / n sqrt(2 / M). T is twice the lag where phi^T
//     drowns in S^(-1/2), or the end of the chain;
//   - noise may cut Geyer's sequence from where a pair is expected below six of its standard deviations (Bartlett's
//     formula, at most 4 (1 + phi^2) / (1 - phi^2) / S for the variance). tau_n is taken with that cut and without.
// Six standard deviations: of these 48 comparisons one fails by chance with probability 1e-7, and seeds are fixed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "manychain/diagnostics/summary.hpp"
#include "unit/diagnostics/draws.hpp"

namespace {

/// tau of the expectations of M half chains of length n, the sum cut before the first pair that is below `least`.
double expected_tau(double phi, std::size_t n, std::size_t M, double least) {
  const auto length = static_cast<double>(n);
  std::vector<double> power(n), with_mean(n + 1, 0.0);  // phi^t; sums of cov(x_i, mean) over i
  for (std::size_t t = 0; t < n; ++t) power[t] = t == 0 ? 1 : power[t - 1] * phi;
  // 1 + phi + ... + phi^(k-1) on either side of x_i
  const auto geometric = [&](std::size_t k) { return (1 - std::pow(phi, static_cast<double>(k))) / (1 - phi); };
  for (std::size_t i = 0; i < n; ++i)
    with_mean[i + 1] = with_mean[i] + (geometric(i + 1) + geometric(n - i) - 1) / length;
  const double variance_of_mean = with_mean[n] / length;
  const auto covariance = [&](std::size_t t) {
    const double pairs = static_cast<double>(n - t);
    return (pairs * power[t] - with_mean[n - t] - (with_mean[n] - with_mean[t]) + pairs * variance_of_mean) / length;
  };
  // The halves of one chain are neighbours.
  const double between_halves = phi * std::pow(geometric(n) / length, 2);
  const double var_plus = covariance(0) + variance_of_mean - between_halves / static_cast<double>(M - 1);
  const double within = covariance(0) * length / (length - 1);
  const auto rho = [&](std::size_t t) { return 1 - (within - covariance(t)) / var_plus; };
  double previous = 1 + rho(1), tau = -1 + 2 * previous;
  for (std::size_t t = 2; t + 3 < n; t += 2) {
    const double pair = rho(t) + rho(t + 1);
    if (pair < least) break;
    previous = std::min(previous, pair);
    tau += 2 * previous;
  }
  return tau;
}

struct Autoregression {
  double phi;
  std::size_t draws, chains;
};

class KnownEss : public testing::TestWithParam<Autoregression> {};

std::vector<Autoregression> autoregressions() {
  std::vector<Autoregression> all;
  for (double phi : {-0.9, -0.5, 0.0, 0.5, 0.9, 0.99}) {
    const std::size_t more = phi == 0.99 ? 4 : 1;
    all.push_back({phi, more * 200000, 4});
    all.push_back({phi, more * 20000, 64});
    all.push_back({phi, more * 2000, 1000});
    all.push_back({phi, 1000, 10000});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Diagnostics, KnownEss, testing::ValuesIn(autoregressions()), [](const auto& of) {
  const int percent = static_cast<int>(std::round(100 * std::abs(of.param.phi)));
  return (of.param.phi < 0 ? "minus_" : "plus_") + std::to_string(percent) + "_percent_" +
         std::to_string(of.param.chains) + "_chains";
});

TEST_P(KnownEss, of_the_mean_and_the_bulk) {
  const Autoregression p = GetParam();
  const auto draws = test_draws::autoregressions<float>(p.draws, 1, p.chains, p.phi, 61);
  const manychain::VariableSummary s = manychain::summarise(draws.view(), 1)[0];

  const std::size_t n = p.draws / 2, M = 2 * p.chains;
  const auto S = static_cast<double>(p.draws * p.chains);
  const double size = std::max(std::abs(p.phi), 1e-6);
  const auto drowned = static_cast<std::size_t>(std::ceil(std::log(S) / -std::log(size) / 2));
  const std::size_t last = std::min(2 * drowned + 2, n);
  const double pair_noise = std::sqrt(4 * (1 + p.phi * p.phi) / (1 - p.phi * p.phi) / S);
  const double early = expected_tau(p.phi, n, M, 6 * pair_noise), late = expected_tau(p.phi, n, M, 0);
  const double terms = static_cast<double>(last) / static_cast<double>(n);
  const double noise = std::hypot(std::sqrt(2 * (2 * static_cast<double>(last) + 1) / S),
                                  2 * terms * std::sqrt(2 / static_cast<double>(M)));
  const double cap = 1 / std::log10(S);  // the definition claims no more than S log10(S)
  const double least = std::max(early * (1 - 6 * noise), cap);
  const double most = std::max(late * (1 + 6 * noise), cap);

  // The test can fail, and what it compares with is the known ESS wherever halves are long beside tau.
  const double tau = (1 + p.phi) / (1 - p.phi);
  ASSERT_LT(most, 2.2 * least);
  if (static_cast<double>(n) > 100 * tau) {
    ASSERT_NEAR(std::max(late, cap), std::max(tau, cap), 0.05 * std::max(tau, 1.0));
  }

  const double mean = S * std::pow(s.mcse_mean / s.sd, 2);  // S / ESS
  for (const auto& [name, found] : {std::pair("mean", mean), std::pair("bulk", S / s.ess_bulk)}) {
    EXPECT_GE(found, least * (1 - 1e-12)) << name;
    EXPECT_LE(found, most * (1 + 1e-12)) << name;
  }
}

// A run that ends by itself waits for 3 of each chain (diagnostics/limits.hpp): chains that do not move have less.
TEST(ChainsThatDoNotMove, have_an_ess_of_1_to_2_each) {
  for (const std::size_t chains : {64, 256, 1024})
    for (const std::size_t n : {20, 40, 80, 320}) {
      const auto draws = test_draws::autoregressions<double>(n, 1, chains, 1 - 1e-9, 62);
      const manychain::VariableSummary s = manychain::summarise(draws.view(), 1)[0];
      for (const double ess : {s.ess_bulk, s.ess_tail}) {
        EXPECT_GT(ess / static_cast<double>(chains), 0.95) << chains << " chains of " << n << " draws";
        EXPECT_LT(ess / static_cast<double>(chains), 1.8) << chains << " chains of " << n << " draws";
      }
    }
}

}  // namespace
