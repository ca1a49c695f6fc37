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

}  // namespace

Report integral(const GalleryOptions& options) {
  const double known = std::sqrt(std::numbers::pi / 2) * std::erf(1 / std::numbers::sqrt2);  // 0.85562439
  Report report;
  report.lines = {"The integral of exp(-x^2 / 2) over (0, 1) is the mean of exp(-u^2 / 2) over uniform u.",
                  "A hundred times the draws give one digit more."};
  Table table{{"draws", "estimate", "standard error", "95% interval"}, {}};
  for (int draws : {100, 10'000, options.quick ? 100'000 : 1'000'000}) {
    std::vector<double> values;
    draw_uniforms(options.seed, std::uint64_t(draws), 0, draws,
                  [&](int, double u) { values.push_back(std::exp(-u * u / 2)); });
    const Estimate e = mean_estimate(values);
    table.rows.push_back({fmt::format("{}", draws), fmt::format("{:.6f}", e.value),
                          fmt::format("{:.6f}", e.standard_error), fmt::format("{:.6f} .. {:.6f}", e.lower, e.upper)});
    report.checks.push_back(check_of(fmt::format("integral, {} draws", draws), known, e));
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
