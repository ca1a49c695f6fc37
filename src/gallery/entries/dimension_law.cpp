// The error of a mean knows the number of draws and the variance of f, not the dimension.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "gallery/direct_draws.hpp"
#include "gallery/entries.hpp"

namespace manychain::gallery {

Report dimension_law(const GalleryOptions& options) {
  Report report;
  report.lines = {"f(x) = sqrt(12 / D) sum of (x_i - 1/2) on the unit cube of D dimensions has mean 0 and variance 1.",
                  "The mean of f over L draws has the variance 1 / L: in each cell, over many such means."};
  const int means = options.quick ? 200 : 1000;
  Table table{{"var(mean)", "L = 10", "L = 100", "L = 1000"}, {}};
  std::map<int, double> log_variance, log_draws;  // pooled over dimensions
  std::uint64_t set = 0;
  for (int dimension : {1, 10, 100}) {
    std::vector<std::string> row = {fmt::format("D = {}", dimension)};
    for (int draws : {10, 100, 1000}) {
      double squares = 0;
      for (int m = 0; m < means; ++m) {
        double sum = 0;
        draw_uniforms(options.seed, set, std::uint64_t(m), draws * dimension, [&](int, double u) { sum += u - 0.5; });
        const double mean = std::sqrt(12.0 / dimension) * sum / draws;
        squares += mean * mean / means;
      }
      ++set;
      row.push_back(fmt::format("{:.3g}", squares));
      // A mean of ten uniforms or more has lighter tails than a normal variate: the score is cautious.
      report.checks.push_back(
          variance_ratio(fmt::format("L var(mean), D = {}, L = {}", dimension, draws), squares * draws, means));
      log_variance[draws] += std::log(squares) / 3;
    }
    table.rows.push_back(row);
  }
  report.tables.push_back(table);
  // The line through three points equally far apart; the log of a mean square of n normals has the error sqrt(2 / n).
  const double slope = (log_variance[1000] - log_variance[10]) / std::log(100.0);
  report.checks.push_back(
      monte_carlo("slope of log var(mean) over log L", -1, slope, std::sqrt(2 * 2.0 / (3 * means)) / std::log(100.0)));
  return report;
}

}  // namespace manychain::gallery
