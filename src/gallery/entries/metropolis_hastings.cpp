// Metropolis-Hastings with proposals of the model's own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gallery/chain_means.hpp"
#include "gallery/entries.hpp"
#include "gallery/models/gamma_two_one.hpp"
#include "gallery/models/two_states.hpp"
#include "manychain/manychain.hpp"
#include "manychain/markov/kernels.hpp"
#include "manychain/markov/stationary.hpp"

namespace manychain::gallery {

Report two_states_sampled(const GalleryOptions& options) {
  Settings settings = settings_for(options);
  settings.sampler = "metropolis_hastings";
  settings.chains = 1024;
  settings.warmup = 50;  // the second eigenvalue is -1/4
  settings.draws = options.quick ? 40 : 400;
  const Result result = sample(model<models::TwoStates>(), settings);
  const Draws& x = result.draws;

  const std::vector<double> target = {0.2, 0.8};
  const markov::TransitionMatrix p =
      markov::metropolis_hastings_matrix(target, markov::TransitionMatrix({{0, 1}, {1, 0}}));
  Report report;
  report.lines = {
      "Two states with probabilities 0.2 and 0.8; proposed is always the other one. From 1 to 2 all is accepted,",
      "from 2 to 1 a quarter: the chain's transition matrix is exact arithmetic, and it is counted beside that.",
      ran(result)};
  Table table{{"from", "to 1", "counted", "to 2", "counted"}, {}};
  const std::vector<double> stationary = markov::stationary_distributions(p)[0];
  for (int i = 0; i < 2; ++i) {
    report.checks.push_back(exact(fmt::format("stationary probability of state {}, arithmetic", i + 1),
                                  target[std::size_t(i)], stationary[std::size_t(i)], 1e-15));
    report.checks.push_back(check_of(fmt::format("frequency of state {}", i + 1), target[std::size_t(i)],
                                     expectation_of(x, [&](auto d, auto c) { return x(d, 0, c) == i; })));
  }
  for (int i = 0; i < 2; ++i) {
    std::vector<std::string> row = {fmt::format("{}", i + 1)};
    const auto from = chain_means(1, x.draws, x.chains, [&](auto d, auto c) { return double(x(d - 1, 0, c) == i); });
    for (int j = 0; j < 2; ++j) {
      const auto both = chain_means(1, x.draws, x.chains,
                                    [&](auto d, auto c) { return double(x(d - 1, 0, c) == i && x(d, 0, c) == j); });
      const ChainMean counted = ratio_of(both, from);
      const double known = p(std::size_t(i), std::size_t(j));
      const std::string what = fmt::format("P(state {} after state {})", j + 1, i + 1);
      report.checks.push_back(i == 0 ? exact(what, known, counted.value, 1e-12) : check_of(what, known, counted));
      row.push_back(fmt::format("{}", known));
      row.push_back(fmt::format("{:.5f}", counted.value));
    }
    table.rows.push_back(row);
  }
  report.tables.push_back(table);
  return report;
}

namespace {

double gamma_cdf(double x) { return -std::expm1(-x) - x * std::exp(-x); }

double gamma_quantile(double p) {
  double low = 0, high = 50;
  for (int i = 0; i < 60; ++i) (gamma_cdf(0.5 * (low + high)) < p ? low : high) = 0.5 * (low + high);
  return 0.5 * (low + high);
}

/// The integral of min(p(x) q(y), p(y) q(x)), by midpoints.
double gamma_acceptance() {
  constexpr int n = 2500;
  const double h = 50.0 / n;
  std::vector<double> p, q;
  for (int i = 0; i < n; ++i) {
    const double x = h * (i + 0.5);
    p.push_back(h * x * std::exp(-x));
    q.push_back(h * 0.2 * std::exp(-0.2 * x));
  }
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) sum += std::min(p[i] * q[j], p[j] * q[i]);
  }
  // Proposals beyond 50 are lost: their probability is exp(-10), and none of them is accepted but with exp(-40).
  return sum;
}

}  // namespace

Report gamma_independence(const GalleryOptions& options) {
  Settings settings = settings_for(options);
  settings.sampler = "independence";
  settings.chains = 1024;
  settings.warmup = 100;  // p <= 2.3 q: what is left of the start is below (1 - 1 / 2.3)^100
  settings.draws = options.quick ? 40 : 400;
  const Result result = sample(model<models::GammaTwoOne>(), settings);
  const Draws &x = result.draws, &stats = result.sample_stats;
  Report report;
  report.lines = {
      "Gamma(2, 1), p(x) = x exp(-x), by proposals from the exponential distribution with mean 5 that do not look",
      "at the state. F(x) = 1 - (1 + x) exp(-x); mean 2, variance 2.", ran(result)};
  report.checks.push_back(check_of("E x", 2, expectation_of(x, [&](auto d, auto c) { return x(d, 0, c); })));
  report.checks.push_back(check_of(
      "E (x - 2)^2", 2, expectation_of(x, [&](auto d, auto c) { return (x(d, 0, c) - 2) * (x(d, 0, c) - 2); })));
  report.checks.push_back(check_of("acceptance rate, by quadrature", gamma_acceptance(),
                                   expectation_of(stats, [&](auto d, auto c) { return stats(d, 1, c); })));
  for (double level : {0.01, 0.05, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.95, 0.99}) {
    const double at = gamma_quantile(level);
    report.checks.push_back(check_of(fmt::format("P(x <= {:.4f})", at), gamma_cdf(at),
                                     expectation_of(x, [&](auto d, auto c) { return x(d, 0, c) <= at; })));
  }
  return report;
}

}  // namespace manychain::gallery
