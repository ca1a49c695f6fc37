// Two correlated normal variates, one component at a time: the path, the running mean, and Metropolis' rule.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "gallery/chain_means.hpp"
#include "gallery/direct_draws.hpp"
#include "gallery/entries.hpp"
#include "gallery/models/fifty_normals.hpp"
#include "gallery/models/normal_pair.hpp"
#include "gallery/plots.hpp"
#include "gallery/walk_acceptance.hpp"
#include "manychain/manychain.hpp"

namespace manychain::gallery {
namespace {

constexpr double rho = 0.8;
constexpr std::array<double, 2> mean = {2, 1};

/// Means 2 and 1, variances one, correlation 0.8, every chain from (0, 0).
Result from_the_origin(Settings settings) {
  settings.warmup.transitions = 0;
  settings.output.keep_sample_stats = !find_sampler(settings.sampler)->always_accepts;
  settings.warmup.initial_points.assign(2 * settings.chains, 0);
  Data data;
  data.set("mx", mean[0]);
  data.set("my", mean[1]);
  return sample(model<models::NormalPair>(data), settings);
}

/// The first sweeps of chain 0, drawn and in figures.
void show_path(const Draws& q, std::size_t sweeps, Report& report) {
  std::vector<std::array<double, 2>> points = {{0, 0}};
  std::string figures = "  (0, 0)";
  for (std::size_t t = 0; t < sweeps; ++t) {
    points.push_back({q(t, 0, 0), q(t, 1, 0)});
    if (t < 4) figures += fmt::format(" ({:.2f}, {:.2f})", q(t, 0, 0), q(t, 1, 0));
  }
  report.lines.insert(report.lines.end(), {"", fmt::format("The first {} sweeps, x and then y, from o to *:", sweeps)});
  for (const std::string& line : staircase(points, {-1.2, -2.2}, {5.2, 4.2}, 72, 18)) report.lines.push_back(line);
  report.lines.push_back(figures + " ...");
}

/// E x_t of the Gibbs sampler, which starts at y = 0 and draws x first: x is moved by 0.8 times what y
/// is off its mean, y by 0.8 times that.
double expected_x(std::size_t t) { return mean[0] - rho * mean[1] * std::pow(rho * rho, double(t) - 1); }

/// Mean and standard deviation of (x_1 + .. + x_n) / n. x is an autoregression with coefficient a = 0.64 and
/// innovations of variance 1 - a^2, begun by x_1 with variance 1 - 0.64: var x_t = 1 - a^(2 t - 1), cov(x_s, x_t) =
/// a^(t - s) var x_s.
std::array<double, 2> running(std::size_t n) {
  const double a = rho * rho;
  double sum = 0, variance = 0;
  for (std::size_t s = 1; s <= n; ++s) {
    const double one = 1 - std::pow(a, 2 * double(s) - 1);
    const double later = a * (1 - std::pow(a, double(n - s))) / (1 - a);  // a + .. + a^(n - s)
    sum += expected_x(s);
    variance += one * (1 + 2 * later);
  }
  return {sum / double(n), std::sqrt(variance) / double(n)};
}

}  // namespace

Report running_mean(const GalleryOptions& options) {
  Settings settings = settings_for(options);
  settings.sampler = "gibbs";
  settings.chains = 64;
  settings.sampling.draws = options.quick ? 1'000 : 10'000;
  const Result result = from_the_origin(settings);
  const Draws& q = result.draws;
  Report report;
  report.lines = {
      "Two normal variates with means 2 and 1 and correlation 0.8, each drawn given the other, from (0, 0). The mean",
      "over time of x tends to 2. Everything is normal, so that the running mean of one chain has an expectation and",
      "an error that are known for each length; the error is 2.13 times that of independent draws.", ran(result)};
  show_path(q, 25, report);
  for (std::size_t t : {1, 2, 5}) {
    const auto x = chain_means(t - 1, t, q.chains, [&](auto d, auto c) { return q(d, 0, c); });
    report.checks.push_back(monte_carlo(fmt::format("E x after {}, from (0, 0)", t), expected_x(t), mean_of(x).value,
                                        std::sqrt((1 - std::pow(rho, 4 * double(t) - 2)) / double(q.chains))));
  }
  Table table{{"draws", "running mean", "expected", "its error", "of independent draws"}, {}};
  std::vector<double> sums(q.chains, 0);
  std::size_t done = 0;
  for (std::size_t n = 10; n <= *settings.sampling.draws; n *= 10) {
    for (; done < n; ++done) {
      for (std::size_t c = 0; c < q.chains; ++c) sums[c] += q(done, 0, c);
    }
    const auto [known, error] = running(n);
    table.rows.push_back({fmt::format("{}", n), fmt::format("{:.5f}", sums[0] / double(n)),
                          fmt::format("{:.5f}", known), fmt::format("{:.5f}", error),
                          fmt::format("{:.5f}", 1 / std::sqrt(double(n)))});
    report.checks.push_back(
        monte_carlo(fmt::format("running mean of one chain, {} draws", n), known, sums[0] / double(n), error));
    double squares = 0;
    for (const double sum : sums) squares += std::pow((sum / double(n) - known) / error, 2) / double(q.chains);
    report.checks.push_back(
        variance_ratio(fmt::format("square error of it over 64 chains, to that known, {} draws", n), squares, 64));
  }
  report.tables.push_back(table);
  return report;
}

Report single_component(const GalleryOptions& options) {
  // A component given the rest is normal with sd s: steps of scale 2.4 s are accepted with probability (2 / pi) atan(2
  // / 2.4), at stationarity.
  const double scale = 2.4, known = 2 / std::numbers::pi * std::atan(2 / scale);
  Settings settings = settings_for(options);
  settings.sampler = "single_component";
  settings.chains = 512;
  settings.sampling.draws = options.quick ? 400 : 1200;
  settings.sampling.step_size = scale * std::sqrt(1 - rho * rho);
  const Result result = from_the_origin(settings);
  const Draws &q = result.draws, &stats = result.sample_stats;
  Report report;
  report.lines = {
      "Metropolis' rule for one component at a time. First means 2 and 1 and correlation 0.8 from (0, 0), with steps",
      "of 2.4 times the standard deviation of x given y; then 50 independent normal variates. Accepted is what is in",
      "one dimension, (2 / pi) atan(2 / 2.4) = 0.4423, whatever the dimension; all 50 at once by such steps hardly",
      "ever are.", ran(result)};
  show_path(q, 80, report);
  const std::size_t settled = 200;  // the slowest part loses more than a tenth a sweep: 0.9^200 = 7e-10
  const auto moment = [&](const std::string& what, double value, auto f) {
    report.checks.push_back(check_of(what, value, expectation_of(q, f, settled)));
  };
  report.checks.push_back(check_of("two: acceptance rate", known,
                                   expectation_of(
                                       stats, [&](auto d, auto c) { return stats(d, 1, c); }, settled)));
  moment("two: E x", mean[0], [&](auto d, auto c) { return q(d, 0, c); });
  moment("two: E y", mean[1], [&](auto d, auto c) { return q(d, 1, c); });
  moment("two: var x", 1, [&](auto d, auto c) { return std::pow(q(d, 0, c) - mean[0], 2); });
  moment("two: var y", 1, [&](auto d, auto c) { return std::pow(q(d, 1, c) - mean[1], 2); });
  moment("two: cov(x, y)", rho, [&](auto d, auto c) { return (q(d, 0, c) - mean[0]) * (q(d, 1, c) - mean[1]); });

  constexpr std::size_t dimension = models::FiftyNormals<float>::dimension;
  settings.sampling.draws = options.quick ? 20 : 100;
  settings.sampling.step_size = scale;
  settings.chains = 256;
  // Exact draws, by another seed: numbers of this one are those that chains move by.
  draw_normals(~options.seed, 0, 0, int(dimension * settings.chains),
               [&](int, double z) { settings.warmup.initial_points.push_back(z); });
  const Result wide = sample(model<models::FiftyNormals>(), settings);
  const Draws &x = wide.draws, &rate = wide.sample_stats;
  report.checks.push_back(
      check_of("50: acceptance rate", known, expectation_of(rate, [&](auto d, auto c) { return rate(d, 1, c); })));
  const auto over_components = [&](auto f) {
    return expectation_of(x, [&](auto d, auto c) {
      double sum = 0;
      for (std::size_t i = 0; i < dimension; ++i) sum += f(x(d, i, c)) / dimension;
      return sum;
    });
  };
  report.checks.push_back(check_of("50: E x, all components", 0, over_components([](double v) { return v; })));
  report.checks.push_back(check_of("50: E x^2, all components", 1, over_components([](double v) { return v * v; })));
  Table table{{"D", "accepted one at a time", "all at once, the same steps"}, {}};
  for (int d : {1, 2, 5, 10, 20, 50}) {
    table.rows.push_back(
        {fmt::format("{}", d), fmt::format("{:.4f}", known), fmt::format("{:.2g}", walk_acceptance(d, scale))});
  }
  report.tables.push_back(table);
  return report;
}

}  // namespace manychain::gallery
