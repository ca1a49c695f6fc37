// Expectations from independent draws.
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "gallery/direct_draws.hpp"
#include "gallery/entries.hpp"
#include "manychain/montecarlo/estimate.hpp"

namespace manychain::gallery {
namespace {

using montecarlo::Estimate;
using montecarlo::mean_estimate;

Check check_of(const std::string& what, double known, const Estimate& e) {
  return monte_carlo(what, known, e.value, e.standard_error, double(e.draws - 1));
}

/// E f(U)^k of f(u) = exp(-u^2 / 2), U uniform on (0, 1).
double moment(double k) { return std::sqrt(std::numbers::pi / (2 * k)) * std::erf(std::sqrt(k / 2)); }

}  // namespace

Report integral(const GalleryOptions& options) {
  const double known = moment(1), variance = moment(2) - known * known;
  const double fourth = moment(4) - 4 * known * moment(3) + 6 * known * known * moment(2) - 3 * std::pow(known, 4);
  Report report;
  report.lines = {
      "The integral of exp(-x^2 / 2) over (0, 1), 0.85562439, is the mean of exp(-u^2 / 2) over uniform u, of",
      "which one has the standard deviation 0.1214. A hundred times the draws give one digit more."};
  Table table{{"draws", "estimate", "standard error", "that known", "95% interval"}, {}};
  // Ten draws, as they were published. The known standard deviation is what ten are measured by: their own is small
  // when they lie together, and together far off. No mean lies farther up than 3.8 of those errors; one 6.22 below has
  // a probability below 1e-14.
  report.checks.push_back(monte_carlo("integral, 10 draws, a published run", known, 0.832, std::sqrt(variance / 10)));
  for (int draws = 10; draws <= (options.quick ? 100'000 : 1'000'000); draws *= 10) {
    std::vector<double> values;
    draw_uniforms(options.seed, std::uint64_t(draws), 0, draws,
                  [&](int, double u) { values.push_back(std::exp(-u * u / 2)); });
    const Estimate e = mean_estimate(values);
    const double error = std::sqrt(variance / draws);
    table.rows.push_back({fmt::format("{}", draws), fmt::format("{:.6f}", e.value),
                          fmt::format("{:.6f}", e.standard_error), fmt::format("{:.6f}", error),
                          fmt::format("{:.6f} .. {:.6f}", e.lower, e.upper)});
    report.checks.push_back(monte_carlo(fmt::format("integral, {} draws", draws), known, e.value, error));
    if (draws >= 10'000) {  // enough for a variance to be nearly normal
      report.checks.push_back(monte_carlo(fmt::format("variance of one, {} draws", draws), variance, e.sd * e.sd,
                                          std::sqrt((fourth - variance * variance) / draws)));
    }
  }
  report.tables.push_back(table);
  return report;
}

Report expectation(const GalleryOptions& options) {
  Report report;
  report.lines = {"Direct draws of N(0, 1): the means of x, x^2 and x^4 are 0, 1 and 3."};
  const int draws = options.quick ? 100'000 : 1'000'000;
  std::vector<double> x(static_cast<std::size_t>(draws));
  draw_normals(options.seed, 0, 0, draws, [&](int i, double z) { x[static_cast<std::size_t>(i)] = z; });
  report.checks = {check_of("E x", 0, mean_estimate(x)),
                   check_of("E x^2", 1, mean_estimate(x, [](double z) { return z * z; })),
                   check_of("E x^4", 3, mean_estimate(x, [](double z) { return z * z * z * z; }))};
  return report;
}

}  // namespace manychain::gallery
