// All components at once from the old state, without the correction: another stationary distribution.
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "gallery/chain_means.hpp"
#include "gallery/entries.hpp"
#include "gallery/models/normal_ring.hpp"
#include "manychain/manychain.hpp"
#include "manychain/markov/markov.hpp"

namespace manychain::gallery {
namespace {

constexpr std::size_t spins = 4, states = 16;
constexpr double coupling = 0.5;

double spin(std::size_t state, std::size_t i) { return state >> (i % spins) & 1 ? 1 : -1; }

double normalised(std::vector<double>& weights) {
  double sum = 0;
  for (const double w : weights) sum += w;
  for (double& w : weights) w /= sum;
  return sum;
}

/// E of the product of spins `lag` apart.
double correlation(const std::vector<double>& p, std::size_t lag) {
  double sum = 0;
  for (std::size_t s = 0; s < states; ++s) sum += p[s] * spin(s, 0) * spin(s, lag);
  return sum;
}

/// Four spins on a ring, P(s) proportional to exp(0.5 sum s_i s_(i+1)): by algebra, and 20 000 walks.
void ring_of_spins(const GalleryOptions& options, Report& report) {
  std::vector<double> target(states), closed(states);
  markov::Matrix all_at_once(states, states, 1);
  for (std::size_t s = 0; s < states; ++s) {
    double sum = 0;
    closed[s] = 1;
    for (std::size_t i = 0; i < spins; ++i) {
      const double field = coupling * (spin(s, i + 1) + spin(s, i + spins - 1));
      sum += coupling * spin(s, i) * spin(s, i + 1);
      // In detailed balance with s_i' ~ exp(s_i' field_i) is the product of cosh(field_i) (Peretto 1984).
      closed[s] *= std::cosh(field);
      for (std::size_t t = 0; t < states; ++t) all_at_once(s, t) *= 1 / (1 + std::exp(-2 * spin(t, i) * field));
    }
    target[s] = std::exp(sum);
  }
  normalised(target);
  normalised(closed);
  const markov::TransitionMatrix uncorrected(all_at_once);
  const markov::TransitionMatrix corrected = markov::metropolis_hastings_matrix(target, uncorrected);
  const std::vector<double> wrong = markov::stationary_distributions(uncorrected)[0],
                            right = markov::stationary_distributions(corrected)[0];
  constexpr double rounding = 1e-14;
  report.checks.push_back(
      exact("spins, uncorrected: from the product of cosh", 0, markov::total_variation(wrong, closed), rounding));
  report.checks.push_back(exact("spins, uncorrected: E s1 s2", 0, correlation(wrong, 1), rounding));
  report.checks.push_back(
      exact("spins, corrected: from the target", 0, markov::total_variation(right, target), rounding));
  // On a ring of four, by the transfer matrix: (t + t^3) / (1 + t^4), t = tanh(0.5).
  const double t = std::tanh(coupling);
  report.checks.push_back(
      exact("spins, corrected: E s1 s2", (t + t * t * t) / (1 + t * t * t * t), correlation(right, 1), rounding));
  report.checks.push_back(
      less("spins: total variation from the target, uncorrected", 0.2, markov::total_variation(wrong, target)));

  Table table{{"four spins", "E s1 s2", "E s1 s3", "from the target"}, {}};
  const std::pair<const char*, const std::vector<double>*> rows[] = {
      {"target", &target}, {"uncorrected", &wrong}, {"corrected", &right}};
  for (const auto& [name, p] : rows) {
    const double near = correlation(*p, 1);
    table.rows.push_back({name, fmt::format("{:.5f}", std::fabs(near) < rounding ? 0 : near),
                          fmt::format("{:.5f}", correlation(*p, 2)),
                          fmt::format("{:.2g}", markov::total_variation(*p, target))});
  }
  report.tables.push_back(table);

  const std::size_t chains = options.quick ? 2'000 : 20'000;
  std::vector<double> start(states, 0);
  start[0] = 1;
  const auto walked = [&](const char* name, const markov::TransitionMatrix& p, std::uint64_t seed) {
    constexpr std::uint64_t steps = 60;
    const double known = correlation(p.evolve(start, steps), 1);
    const markov::ErgodicAverages averages = markov::ergodic_averages(p, start, chains, steps, seed);
    report.checks.push_back(monte_carlo(fmt::format("spins, {}: E s1 s2 of {} walks", name, chains), known,
                                        correlation(averages.over_chains, 1),
                                        std::sqrt((1 - known * known) / double(chains))));
  };
  walked("uncorrected", uncorrected, options.seed);
  walked("corrected", corrected, ~options.seed);
}

}  // namespace

Report uncorrected_gibbs(const GalleryOptions& options) {
  constexpr std::size_t n = models::NormalRing<float>::dimension;
  constexpr double pull = models::NormalRing<float>::coupling;
  // Given the old x the new one is C x + z, C the circulant of the conditional means: its covariance solves S = C S C +
  // I, S = (I - C^2)^-1, where that of the target is (I - C)^-1.
  const auto known = [&](std::size_t lag, bool corrected) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double angle = 2 * std::numbers::pi * double(j) / n, c = 2 * pull * std::cos(angle);
      sum += std::cos(angle * double(lag)) / (1 - (corrected ? c : c * c)) / n;
    }
    return sum;
  };
  Report report;
  report.lines = {
      "Every component is drawn at once, each given the old values of the others. That is quick, and wrong: neighbours",
      "never see each other's newest value, and on a ring of even length they come out uncorrelated. As a proposal",
      "under Metropolis and Hastings' rule the same draws are right. Four spins by algebra; 16 normal variates on a",
      "ring:"};
  ring_of_spins(options, report);

  Table table{{"ring of 16", "var", "cov at distance 1", "at distance 2"}, {}};
  ChainMean neighbours[2];
  for (const bool corrected : {false, true}) {
    Settings settings = settings_for(options);
    settings.sampler = corrected ? "parallel_gibbs" : "direct";
    settings.seed = corrected ? ~options.seed : options.seed;
    settings.chains = 1024;
    settings.warmup.transitions = 200;
    settings.sampling.draws = options.quick ? 30 : 200;
    const Result result = sample(model<models::NormalRing>(), settings);
    if (!corrected) report.lines.push_back(ran(result));
    const Draws& q = result.draws;
    std::vector<std::string> row = {corrected ? "corrected" : "uncorrected"};
    for (std::size_t lag : {0, 1, 2}) {
      const ChainMean covariance = expectation_of(q, [&](auto d, auto c) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += q(d, i, c) * q(d, (i + lag) % n, c) / n;
        return sum;
      });
      report.checks.push_back(
          check_of(fmt::format("ring, {}: {}", row[0], lag ? fmt::format("cov at distance {}", lag) : "var"),
                   known(lag, corrected), covariance));
      row.push_back(fmt::format("{:.5f}", covariance.value));
      if (lag == 1) neighbours[corrected] = covariance;
    }
    table.rows.push_back(row);
  }
  report.tables.push_back(table);
  // 0 and 0.16, of which each is known to a thousandth.
  report.checks.push_back(less("ring: 20 errors, what the two differ by",
                               20 * std::hypot(neighbours[0].standard_error, neighbours[1].standard_error),
                               neighbours[1].value - neighbours[0].value));
  return report;
}

}  // namespace manychain::gallery
