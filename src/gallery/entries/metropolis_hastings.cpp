// Metropolis-Hastings with proposals of the model's own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gallery/chain_means.hpp"
#include "gallery/counts.hpp"
#include "gallery/entries.hpp"
#include "gallery/models/gamma_two_one.hpp"
#include "gallery/models/two_states.hpp"
#include "gallery/plots.hpp"
#include "manychain/manychain.hpp"
#include "manychain/markov/kernels.hpp"
#include "manychain/markov/stationary.hpp"

namespace manychain::gallery {
namespace {

/// One walk of 10 000 steps from the first state, as textbooks print it, and 63 more for what one alone cannot tell.
void walk_from_the_first_state(const GalleryOptions& options, const markov::TransitionMatrix& p, Report& report) {
  Settings settings = settings_for(options);
  settings.sampler = "metropolis_hastings";
  settings.chains = 64;
  settings.warmup.transitions = 0;
  settings.sampling.draws = 10'000;
  settings.output.keep_sample_stats = false;
  settings.warmup.initial_points.assign(settings.chains, 0);
  const Draws x = sample(model<models::TwoStates>(), settings).draws;

  std::string shown = "0";
  for (std::size_t t = 0; t < 40; ++t) shown += x(t, 0, 0) == 0 ? " 0" : " 1";
  std::vector<double> counts(x.chains, 0);
  // Runs of the second state: the first 1000 of each chain, of some 2000 that end within its steps. They are
  // independent, of geometric length with mean 4 and variance 12.
  constexpr std::size_t runs = 1000;
  double length = 0, complete = 0;
  for (std::size_t c = 0; c < x.chains; ++c) {
    std::size_t run = 0, found = 0;
    for (std::size_t t = 0; t < x.draws; ++t) {
      counts[c] += x(t, 0, c) == 0;
      if (x(t, 0, c) != 0) {
        ++run;
      } else if (run > 0) {
        if (found++ < runs) length += double(run);
        run = 0;
      }
    }
    complete += found >= runs;
  }
  report.lines.insert(report.lines.end(),
                      {"", "One chain from the first state, here called 0, and the other 1:", "", "  " + shown + " ...",
                       fmt::format("  10000 steps: {:g} of 0, {:g} of 1; published: 2027 and 7973", counts[0],
                                   double(x.draws) - counts[0])});
  const std::vector<double> distribution = occupation_of_two(p, 0, 0, x.draws);
  report.checks.push_back(count_check("visits of 0 in 10000 steps, published", distribution, 2027));
  report.checks.push_back(count_check("visits of 0 in 10000 steps", distribution, std::size_t(counts[0])));
  // The sum of P^t(0, 0) = 1/5 + 4/5 (-1/4)^t over t = 1 .. n is n / 5 - 4 / 25 but for the last term.
  double mean = 0, variance = 0, squares = 0;
  for (std::size_t k = 0; k < distribution.size(); ++k) mean += double(k) * distribution[k];
  for (std::size_t k = 0; k < distribution.size(); ++k) variance += std::pow(double(k) - mean, 2) * distribution[k];
  for (const double count : counts) squares += (count - mean) * (count - mean) / double(x.chains);
  report.checks.push_back(exact("expected visits of 0, arithmetic", double(x.draws) / 5 - 0.16, mean, 1e-6));
  report.checks.push_back(
      variance_ratio("variance of the visits over 64 chains, to that known", squares / variance, double(x.chains)));
  report.checks.push_back(same("chains with 1000 runs of 1", "64", fmt::format("{}", complete)));
  const double all = double(runs * x.chains);
  report.checks.push_back(monte_carlo("mean run of 1, 1 / (1/4)", 4, length / all, std::sqrt(12 / all)));
}

}  // namespace

Report two_states_sampled(const GalleryOptions& options) {
  Settings settings = settings_for(options);
  settings.sampler = "metropolis_hastings";
  settings.chains = 1024;
  settings.warmup.transitions = 50;  // the second eigenvalue is -1/4
  settings.sampling.draws = options.quick ? 40 : 400;
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
  walk_from_the_first_state(options, p, report);
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

/// One chain of 10 000 steps from x = 5 with its histogram, and 255 more, of which the scatter of one is known.
void gamma_histogram(const GalleryOptions& options, Report& report) {
  constexpr std::size_t bins = 100;
  constexpr double width = 0.1;
  Settings settings = settings_for(options);
  settings.sampler = "independence";
  settings.chains = 256;
  settings.warmup.transitions = 0;
  settings.sampling.draws = options.quick ? 1'000 : 10'000;
  settings.output.keep_sample_stats = false;
  settings.warmup.initial_points.assign(settings.chains, 5);
  const Draws x = sample(model<models::GammaTwoOne>(), settings).draws;
  // The remainder of the start after t steps is below (1 - 1 / 2.3)^t, in all 1.3 steps of 10 000.
  std::vector<double> share(x.chains * bins, 0), known(bins, 0), one(bins, 0);
  for (std::size_t t = 0; t < x.draws; ++t) {
    for (std::size_t c = 0; c < x.chains; ++c) {
      const auto bin = static_cast<std::size_t>(x(t, 0, c) / width);
      if (bin < bins) share[bin * x.chains + c] += 1 / double(x.draws);
    }
  }
  for (std::size_t b = 0; b < bins; ++b) {
    known[b] = gamma_cdf(width * double(b + 1)) - gamma_cdf(width * double(b));
    one[b] = share[b * x.chains];
  }
  report.lines.insert(
      report.lines.end(),
      {"", fmt::format("One chain from x = 5, {} steps, in 100 bins; the dots are the density.", x.draws)});
  for (const std::string& line : histogram(one, known, 12, 0, width * bins)) report.lines.push_back(line);

  // The distribution function of the one chain, by the scatter of the 255 others; and the bins of all chains, taken
  // together until 40 of 10 000 draws fall into each: sums of so many are normal.
  const std::vector<std::size_t> marks = {5, 10, 17, 27, 39};  // of 0.5, 1, 1.7, 2.7, 3.9
  for (const std::size_t mark : marks) {
    std::vector<double> below(x.chains, 0);
    for (std::size_t b = 0; b < mark; ++b) {
      for (std::size_t c = 0; c < x.chains; ++c) below[c] += share[b * x.chains + c];
    }
    const double at = below[0];
    below.erase(below.begin());
    const double scatter = mean_of(below).standard_error * std::sqrt(double(below.size()));
    report.checks.push_back(monte_carlo(fmt::format("one chain: P(x <= {:.1f})", width * double(mark)),
                                        gamma_cdf(width * double(mark)), at, scatter, double(below.size() - 1)));
  }
  Check worst;
  std::size_t groups = 0;
  std::vector<double> sums(x.chains, 0);
  double probability = 0;
  for (std::size_t b = 0; b < bins; ++b) {
    for (std::size_t c = 0; c < x.chains; ++c) sums[c] += share[b * x.chains + c];
    probability += known[b];
    if (probability < 0.004) continue;
    const Check check = check_of("", probability, mean_of(sums));
    if (groups++ == 0 || !(std::fabs(check.score) <= std::fabs(worst.score))) worst = check;
    std::fill(sums.begin(), sums.end(), 0.0);
    probability = 0;
  }
  worst.what = fmt::format("share of a bin, 256 chains, farthest of {}", groups);
  worst.comparisons = groups;
  report.checks.push_back(worst);
}

}  // namespace

Report gamma_independence(const GalleryOptions& options) {
  Settings settings = settings_for(options);
  settings.sampler = "independence";
  settings.chains = 1024;
  settings.warmup.transitions = 100;  // p <= 2.3 q: what is left of the start is below (1 - 1 / 2.3)^100
  settings.sampling.draws = options.quick ? 40 : 400;
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
  gamma_histogram(options, report);
  return report;
}

}  // namespace manychain::gallery
