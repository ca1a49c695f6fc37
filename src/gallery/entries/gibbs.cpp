// Gibbs samplers on normal distributions, of which everything is known.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "gallery/chain_means.hpp"
#include "gallery/entries.hpp"
#include "gallery/models/normal_pair.hpp"
#include "gallery/models/normal_ring.hpp"
#include "gallery/models/normal_triple.hpp"
#include "manychain/diagnostics/summary.hpp"
#include "manychain/manychain.hpp"

namespace manychain::gallery {
namespace {

/// R-hat of the first `draws` draws of `chains` chains from `first` on.
double rhat(const Draws& d, std::size_t draws, std::size_t first, std::size_t chains) {
  const auto of = [&](const auto& values) {
    using Number = typename std::remove_cvref_t<decltype(values)>::value_type;
    const DrawsView<Number> view{values.data() + first, draws, d.variables, chains, d.variables * d.chains, d.chains};
    const std::vector<VariableSummary> summary = summarise(view, 1);
    return std::max(summary[0].rhat, summary[1].rhat);
  };
  return d.float32.empty() ? of(d.float64) : of(d.float32);
}

}  // namespace

Report gibbs_starts(const GalleryOptions& options) {
  const double rho = 0.8, start = 2.5;
  Settings settings = settings_for(options);
  settings.sampler = "gibbs";
  settings.chains = 1024;
  settings.warmup.transitions = 0;
  settings.sampling.draws = 500;
  // Corners of a square, four chains after another: (+, +), (-, +), (+, -), (-, -).
  for (std::size_t component : {1, 2}) {
    for (std::size_t c = 0; c < settings.chains; ++c) {
      settings.warmup.initial_points.push_back(c & component ? -start : start);
    }
  }
  Data centre;
  centre.set("mx", 0.0);
  centre.set("my", 0.0);
  const Result result = sample(model<models::NormalPair>(centre), settings);
  const Draws& q = result.draws;
  Report report;
  report.lines = {
      "Two normal variates with variance 1 and correlation 0.8, each drawn given the other, from the four",
      "overdispersed starts (+-2.5, +-2.5): 256 times four chains. A sweep multiplies what is left of the start",
      "by 0.8^2, and so each component has the autocorrelation 0.64.", ran(result)};

  Table table{{"iterations", "R-hat of the first four", "median of 256 fours", "R-hat of all"}, {}};
  double early = 0, late = 0, early_all = 0, late_all = 0;
  for (std::size_t draws : {10, 20, 50, 100, 500}) {
    std::vector<double> fours;
    for (std::size_t c = 0; c < settings.chains; c += 4) fours.push_back(rhat(q, draws, c, 4));
    const double first = fours[0], all = rhat(q, draws, 0, settings.chains);
    std::nth_element(fours.begin(), fours.begin() + std::ptrdiff_t(fours.size() / 2), fours.end());
    const double median = fours[fours.size() / 2];
    table.rows.push_back({fmt::format("{}", draws), fmt::format("{:.3f}", first), fmt::format("{:.3f}", median),
                          fmt::format("{:.4f}", all)});
    if (draws == 10) early = median, early_all = all;
    if (draws == 500) late = median, late_all = all;
  }
  report.tables.push_back(table);
  report.checks.push_back(less("R-hat of four chains after 10, above 1.2", 1.2, early));
  report.checks.push_back(less("R-hat of all chains after 10, above 1.2", 1.2, early_all));
  report.checks.push_back(less("R-hat of four chains after 500, below 1.02", late, 1.02));
  report.checks.push_back(less("R-hat of all chains after 500, below 1.01", late_all, 1.01));

  // x is drawn first and forgets where it was: y alone remembers the start.
  for (std::size_t t : {1, 2, 5, 10}) {
    const auto signed_x =
        chain_means(t - 1, t, q.chains, [&](auto d, auto c) { return c & 2 ? -q(d, 0, c) : q(d, 0, c); });
    report.checks.push_back(check_of(fmt::format("E x after {} from y = 2.5", t),
                                     start * std::pow(rho, 2.0 * double(t) - 1), mean_of(signed_x)));
  }
  const std::size_t settled = 50;  // 0.64^50 = 2e-10
  for (std::size_t v : {0, 1}) {
    const auto squares =
        chain_means(settled, q.draws - 1, q.chains, [&](auto d, auto c) { return q(d, v, c) * q(d, v, c); });
    const auto products =
        chain_means(settled, q.draws - 1, q.chains, [&](auto d, auto c) { return q(d, v, c) * q(d + 1, v, c); });
    report.checks.push_back(check_of(fmt::format("autocorrelation of {} at lag 1, 0.8^2", v ? "y" : "x"), rho * rho,
                                     ratio_of(products, squares)));
    report.checks.push_back(check_of(v ? "var y" : "var x", 1, mean_of(squares)));
  }
  report.checks.push_back(check_of("E x y", rho,
                                   expectation_of(
                                       q, [&](auto d, auto c) { return q(d, 0, c) * q(d, 1, c); }, settled)));
  return report;
}

Report gibbs_three(const GalleryOptions& options) {
  constexpr std::array<double, 3> mean = {1, -2, 3};
  constexpr double covariance[3][3] = {{0.75, 0.5, 0.25}, {0.5, 1, 0.5}, {0.25, 0.5, 0.75}};
  Settings settings = settings_for(options);
  settings.sampler = "gibbs";
  settings.chains = 2048;
  settings.warmup.transitions = 0;
  settings.sampling.draws = options.quick ? 60 : 200;
  settings.warmup.initial_points.assign(3 * settings.chains, 0);
  const Result result = sample(model<models::NormalTriple>(), settings);
  const Draws& q = result.draws;
  Report report;
  report.lines = {
      "Three normal variates with mean (1, -2, 3) and precision matrix (2 -1 0; -1 2 -1; 0 -1 2), from (0, 0, 0).",
      "What is left of the start are Gauss and Seidel's iterates for that matrix: halved by each sweep.", ran(result)};
  std::array<double, 3> at = {0, 0, 0};
  for (std::size_t t = 1; t <= 5; ++t) {
    for (std::size_t i : {0, 1, 2}) {
      const double left = i > 0 ? at[i - 1] - mean[i - 1] : 0, right = i < 2 ? at[i + 1] - mean[i + 1] : 0;
      at[i] = mean[i] + 0.5 * (left + right);
    }
    if (t != 1 && t != 2 && t != 5) continue;
    for (std::size_t i : {0, 1, 2}) {
      const auto x = chain_means(t - 1, t, q.chains, [&](auto d, auto c) { return q(d, i, c); });
      report.checks.push_back(check_of(fmt::format("E x{} after sweep {}", i + 1, t), at[i], mean_of(x)));
    }
  }
  const std::size_t settled = 40;  // 2^-40
  for (std::size_t i : {0, 1, 2}) {
    report.checks.push_back(check_of(fmt::format("E x{}", i + 1), mean[i],
                                     expectation_of(
                                         q, [&](auto d, auto c) { return q(d, i, c); }, settled)));
  }
  for (std::size_t i : {0, 1, 2}) {
    for (std::size_t j = i; j < 3; ++j) {
      report.checks.push_back(
          check_of(fmt::format("cov(x{}, x{})", i + 1, j + 1), covariance[i][j],
                   expectation_of(
                       q, [&](auto d, auto c) { return (q(d, i, c) - mean[i]) * (q(d, j, c) - mean[j]); }, settled)));
    }
  }
  return report;
}

Report parallel_gibbs(const GalleryOptions& options) {
  constexpr std::size_t n = models::NormalRing<float>::dimension;
  constexpr double coupling = models::NormalRing<float>::coupling;
  // The inverse of a circulant is one: its eigenvalues are the inverse ones.
  const auto known = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double angle = 2 * std::numbers::pi * double(j) / n;
      sum += std::cos(angle * double(lag)) / (1 - 2 * coupling * std::cos(angle));
    }
    return sum / n;
  };
  struct Moments {
    ChainMean mean, covariance[3];
    double acceptance, ess, per_second;
    std::string ran;
  };
  const auto run = [&](const char* sampler, std::uint64_t seed) {
    Settings settings = settings_for(options);
    settings.sampler = sampler;
    settings.seed = seed;
    settings.chains = 1024;
    settings.warmup.transitions = 200;
    settings.sampling.draws = options.quick ? 40 : 300;
    const Result result = sample(model<models::NormalRing>(), settings);
    const Draws& q = result.draws;
    Moments m;
    m.mean = expectation_of(q, [&](auto d, auto c) { return q(d, 0, c); });
    for (std::size_t lag : {0, 1, 2}) {
      m.covariance[lag] = expectation_of(q, [&](auto d, auto c) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += q(d, i, c) * q(d, (i + lag) % n, c);
        return sum / n;
      });
    }
    m.acceptance = result.sampling.acceptance_rate;
    m.ess = 0;
    for (const SummaryRow& row : result.summary) m.ess += row.statistics.ess_bulk / n;
    m.per_second = m.ess / result.seconds.sampling;
    m.ess /= double(settings.chains * *settings.sampling.draws);
    m.ran = ran(result);
    return m;
  };
  // Numbers of their own: the difference of independent runs has an error that is known.
  const Moments one = run("gibbs", options.seed), all = run("parallel_gibbs", ~options.seed);

  Report report;
  report.lines = {
      "16 normal variates on a ring, each given its neighbours normal with mean 0.15 (left + right) and variance",
      "1: drawn one after another, each given the newest of the others; or all at once, each given the old of",
      "the others, which is a proposal that Metropolis and Hastings' rule then corrects. Times are no check.", one.ran};
  Table table{{"sampler", "acceptance", "effective draws per sweep"}, {}};
  Table timing{{"sampler", "effective draws a second"}, {}};
  for (const auto& [name, m] : {std::pair{"gibbs", &one}, std::pair{"parallel_gibbs", &all}}) {
    table.rows.push_back({name, fmt::format("{:.3f}", m->acceptance), fmt::format("{:.3f}", m->ess)});
    timing.rows.push_back({name, fmt::format("{:.2g}", m->per_second)});
    report.checks.push_back(check_of(fmt::format("{}: E x1", name), 0, m->mean));
    for (std::size_t lag : {0, 1, 2}) {
      report.checks.push_back(
          check_of(lag ? fmt::format("{}: cov at distance {}", name, lag) : fmt::format("{}: var", name), known(lag),
                   m->covariance[lag]));
    }
  }
  report.tables.push_back(table);
  report.timings.push_back(timing);
  const auto difference = [&](const std::string& what, const ChainMean& a, const ChainMean& b) {
    report.checks.push_back(check_of("gibbs - parallel_gibbs: " + what, 0,
                                     {a.value - b.value, std::hypot(a.standard_error, b.standard_error), a.chains}));
  };
  difference("E x1", one.mean, all.mean);
  for (std::size_t lag : {0, 1, 2}) {
    difference(lag ? fmt::format("cov at distance {}", lag) : "var", one.covariance[lag], all.covariance[lag]);
  }
  return report;
}

}  // namespace manychain::gallery
