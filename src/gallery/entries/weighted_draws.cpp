// Importance sampling by chains whose every draw carries its log weight.
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "gallery/chain_means.hpp"
#include "gallery/entries.hpp"
#include "gallery/models/weighted_normal.hpp"
#include "manychain/manychain.hpp"
#include "manychain/montecarlo/importance.hpp"

namespace manychain::gallery {

Report weighted_draws(const GalleryOptions& options) {
  Settings settings = settings_for(options);
  settings.sampler = "importance";
  settings.chains = 4096;
  settings.warmup.transitions = 0;
  settings.sampling.draws = options.quick ? 10 : 50;
  const double log_z = 0.5 * std::log(2 * std::numbers::pi);

  Report report;
  Table table{{"s", "k", "k-hat", "ESS / S", "known", "verdict"}, {}};
  for (double s : {1.5, 0.95, 0.1}) {
    Data data;
    data.set("s", s);
    const Result result = sample(model<models::WeightedNormal>(data), settings);
    if (report.lines.empty()) {
      report.lines = {
          "p(x) = exp(-x^2 / 2), Z = sqrt(2 pi), by draws of N(0, s^2) with weights p / q: a mean weight of Z,",
          "ESS / S = sqrt(2 s^2 - 1) / s^2. For s < 1 the weights' tail has the shape k = 1 - s^2; where s^2",
          "<= 1/2 their variance is infinite, and from k = 0.7 on no number of draws helps.", ran(result)};
    }
    std::vector<double> x, log_weights, normalised;
    for (std::size_t d = 0; d < result.draws.draws; ++d) {
      for (std::size_t c = 0; c < result.draws.chains; ++c) {
        x.push_back(result.draws(d, 0, c));
        log_weights.push_back(result.sample_stats(d, 0, c));
        normalised.push_back(log_weights.back() - log_z);
      }
    }
    const auto weights = montecarlo::importance(log_weights);
    const bool heavy = 2 * s * s <= 1;
    const double known_ess = heavy ? 0 : std::sqrt(2 * s * s - 1) / (s * s);
    table.rows.push_back({fmt::format("{}", s), s < 1 ? fmt::format("{:.4f}", 1 - s * s) : "bounded",
                          fmt::format("{:.3f}", weights.pareto_k),
                          fmt::format("{:.4f}", weights.ess / double(x.size())), fmt::format("{:.4f}", known_ess),
                          weights.verdict});
    if (heavy) {  // of errors nothing is known; k-hat comes to 1 - s^2 from below, and slowly
      report.checks.push_back(less(fmt::format("k-hat, s = {}, above 1/2", s), 0.5, weights.pareto_k));
      continue;
    }
    report.checks.push_back(same(fmt::format("trustworthy, s = {}", s), "yes", weights.trustworthy ? "yes" : "no"));
    report.checks.push_back(monte_carlo(fmt::format("log Z, s = {}", s), log_z, weights.log_normalising_constant,
                                        weights.log_normalising_error));
    // A weight's square in the place of the weight: ESS / S = (mean w)^2 / mean w^2, its error by the delta method.
    const auto w = [&](auto d, auto c) { return std::exp(result.sample_stats(d, 0, c)); };
    const auto one = chain_means(0, *settings.sampling.draws, settings.chains, w);
    const auto two =
        chain_means(0, *settings.sampling.draws, settings.chains, [&](auto d, auto c) { return w(d, c) * w(d, c); });
    const double first = mean_of(one).value, second = mean_of(two).value, ratio = first * first / second;
    std::vector<double> off;
    for (std::size_t c = 0; c < settings.chains; ++c) off.push_back(ratio * (2 * one[c] / first - two[c] / second));
    report.checks.push_back(check_of(fmt::format("ESS / S, s = {}", s), known_ess,
                                     {weights.ess / double(x.size()), mean_of(off).standard_error, settings.chains}));
    for (int power : {2, 4}) {
      std::vector<double> f;
      for (double value : x) f.push_back(std::pow(value, power));
      const auto plain = montecarlo::importance_expectation(normalised, f);
      const auto own = montecarlo::importance_expectation(log_weights, f);
      const double known = power == 2 ? 1 : 3;
      report.checks.push_back(
          monte_carlo(fmt::format("E x^{}, s = {}, plain weights", power, s), known, plain.plain, plain.plain_error));
      report.checks.push_back(monte_carlo(fmt::format("E x^{}, s = {}, self-normalised", power, s), known,
                                          own.self_normalised, own.self_normalised_error));
    }
  }
  report.tables.push_back(table);
  return report;
}

}  // namespace manychain::gallery
