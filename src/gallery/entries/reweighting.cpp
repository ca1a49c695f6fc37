// Draws of one distribution made into those of another: by weights, or by throwing some away.
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "gallery/direct_draws.hpp"
#include "gallery/entries.hpp"
#include "manychain/montecarlo/importance.hpp"
#include "manychain/montecarlo/rejection.hpp"

namespace manychain::gallery {

Report importance_weights(const GalleryOptions& options) {
  Report report;
  report.lines = {
      "The target exp(-x) for x > 0, of which E x = 1, from draws of Exp(b). For b < 1 weights are bounded;",
      "for b > 1 their tail has the shape k = 1 - 1 / b, and above 0.7 no number of draws helps."};
  const int draws = options.quick ? 100'000 : 1'000'000;
  Table table{{"b", "k", "k-hat", "ESS / S", "E x", "error", "verdict"}, {}};
  std::uint64_t set = 0;
  for (double b : {0.5, 1.25, 2.0, 20.0}) {
    std::vector<double> log_weights, x;
    draw_uniforms(options.seed, set++, 0, draws, [&](int, double u) {
      x.push_back(-std::log(u) / b);
      log_weights.push_back(-x.back() + b * x.back() - std::log(b));
    });
    const auto weights = montecarlo::importance(log_weights);
    const auto mean = montecarlo::importance_expectation(log_weights, x);
    const double k = b < 1 ? -1 : 1 - 1 / b;  // the density of bounded weights is positive at their largest
    table.rows.push_back({fmt::format("{}", b), fmt::format("{:.2f}", k), fmt::format("{:.2f}", weights.pareto_k),
                          fmt::format("{:.4f}", weights.ess / draws), fmt::format("{:.4f}", mean.self_normalised),
                          fmt::format("{:.4f}", mean.self_normalised_error), weights.verdict});
    // k-hat scatters by (1 + k) / sqrt(M) for k > -1/2 (Smith 1985).
    const double scatter = (1 + k) / std::sqrt(double(weights.tail));
    if (k > 0) report.checks.push_back(monte_carlo(fmt::format("k-hat, b = {}", b), k, weights.pareto_k, scatter));
    // A verdict is known where k lies farther from 0.7 than k-hat can.
    if (std::fabs(k - 0.7) > threshold * scatter) {
      report.checks.push_back(
          same(fmt::format("trustworthy, b = {}", b), k < 0.7 ? "yes" : "no", weights.trustworthy ? "yes" : "no"));
    }
    // Without a fourth moment of the weights an error is no error: at b = 2 the variance itself is infinite.
    if (k >= 0.25) continue;
    report.checks.push_back(
        monte_carlo(fmt::format("E x, b = {}", b), 1, mean.self_normalised, mean.self_normalised_error));
    report.checks.push_back(monte_carlo(fmt::format("log normalising constant, b = {}", b), 0,
                                        weights.log_normalising_constant, weights.log_normalising_error));
  }
  report.tables.push_back(table);
  return report;
}

Report rejection_rate(const GalleryOptions& options) {
  Report report;
  report.lines = {
      "Half a normal, sqrt(2 / pi) exp(-x^2 / 2) for x > 0, from draws of Exp(1): the smallest bound of the",
      "ratio is M = sqrt(2 e / pi), at x = 1, and one draw in M is accepted."};
  const double bound = std::sqrt(2 * std::numbers::e / std::numbers::pi);
  const int draws = options.quick ? 20'000 : 200'000;
  montecarlo::RejectionRun run{.proposed = std::size_t(draws)};
  double mean = 0;
  for (int i = 0; i < draws; ++i) {
    double u[2];
    draw_uniforms(options.seed, 0, std::uint64_t(i), 2, [&](int j, double value) { u[j] = value; });
    const double x = -std::log(u[0]);
    const double ratio = std::exp(-(x - 1) * (x - 1) / 2);  // f / (M q)
    run.above_bound += ratio > 1;
    if (u[1] > ratio) continue;
    ++run.accepted;
    mean += x;
  }
  const auto r = montecarlo::rejection(run, bound);
  const auto accepted = double(run.accepted);
  report.checks = {monte_carlo("acceptance rate, 1 / M", r.expected_rate, r.acceptance_rate,
                               std::sqrt(r.expected_rate * (1 - r.expected_rate) / draws)),
                   monte_carlo("integral of the density", 1, r.normalising_constant, r.normalising_error),
                   same("draws above the bound", "0", fmt::format("{}", run.above_bound)),
                   monte_carlo("E x of what was accepted", std::sqrt(2 / std::numbers::pi), mean / accepted,
                               std::sqrt((1 - 2 / std::numbers::pi) / accepted))};
  return report;
}

}  // namespace manychain::gallery
