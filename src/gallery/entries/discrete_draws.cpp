// Few values with given probabilities.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "gallery/direct_draws.hpp"
#include "gallery/entries.hpp"
#include "manychain/montecarlo/discrete.hpp"

namespace manychain::gallery {

Report discrete_draws(const GalleryOptions& options) {
  const std::vector<double> p = {1.0 / 15, 2.0 / 15, 3.0 / 15, 4.0 / 15, 5.0 / 15, 0};
  const montecarlo::DiscreteInverseCdf die(p);
  const int draws = options.quick ? 20'000 : 200'000;
  std::vector<double> counts(p.size(), 0);
  draw_uniforms(options.seed, 0, 0, draws, [&](int, double u) { ++counts[die.index(u)]; });
  Report report;
  report.lines = {
      "A die of weights 1 : 2 : 3 : 4 : 5 : 0. It shows i where u lies between the sums of the first i - 1 and",
      fmt::format("of the first i probabilities; {} throws.", draws)};
  double mean = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    mean += double(i + 1) * counts[i] / draws;
    if (p[i] == 0) continue;
    report.checks.push_back(
        monte_carlo(fmt::format("share of {}", i + 1), p[i], counts[i] / draws, std::sqrt(p[i] * (1 - p[i]) / draws)));
  }
  report.checks.push_back(same("throws of 6", "0", fmt::format("{}", counts[5])));
  // E i^2 = 225 / 15, so that the variance is 15 - (11 / 3)^2 = 14 / 9.
  report.checks.push_back(monte_carlo("mean", 11.0 / 3, mean, std::sqrt(14.0 / 9 / draws)));
  return report;
}

}  // namespace manychain::gallery
