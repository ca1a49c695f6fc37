// A normal variate as a mean of uniforms: how far from normal it is.
#include <fmt/format.h>

#include <cmath>

#include "gallery/direct_draws.hpp"
#include "gallery/entries.hpp"
#include "manychain/montecarlo/uniforms.hpp"

namespace manychain::gallery {

Report irwin_hall(const GalleryOptions& options) {
  using montecarlo::gaussian_by_uniforms_distance;
  Report report;
  report.lines = {"The mean of n uniforms, standardised, tends to N(0, 1). How far its distribution function is from",
                  "Phi at most, exactly, by the Irwin-Hall distribution; beside it the bound of Berry and Esseen."};
  Table table{{"n", "distance", "at z", "n * distance", "bound"}, {}};
  for (int n : {1, 2, 3, 6, 12, 30, 100}) {
    const auto d = gaussian_by_uniforms_distance(n);
    table.rows.push_back({fmt::format("{}", n), fmt::format("{:.3e}", d.distance), fmt::format("{:.3f}", d.at),
                          fmt::format("{:.5f}", n * d.distance), fmt::format("{:.3f}", d.bound)});
  }
  report.tables.push_back(table);

  // n = 1: the two densities are equal where phi(z) = 1 / sqrt(12). Many: Edgeworth's series.
  const double z1 = std::sqrt(-2 * std::log(std::sqrt(2 * std::acos(-1.0) / 12)));
  report.checks.push_back(exact("distance of one uniform",
                                0.5 - z1 / std::sqrt(12.0) - std::erfc(z1 / std::sqrt(2.0)) / 2,
                                gaussian_by_uniforms_distance(1).distance, 1e-12));
  const double z = std::sqrt(3 - std::sqrt(6.0));
  const double limit = (3 * z - z * z * z) * std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0)) / 20;
  report.checks.push_back(
      exact("n * distance, n = 100, beside its limit", limit, 100 * gaussian_by_uniforms_distance(100).distance, 2e-4));

  const int n = 12, draws = options.quick ? 20'000 : 200'000;
  double below[3] = {};
  const double places[3] = {-2, -1, 0.5};
  for (int i = 0; i < draws; ++i) {
    double sum = 0;
    draw_uniforms(options.seed, 0, std::uint64_t(i), n, [&](int, double u) { sum += u; });
    for (int k = 0; k < 3; ++k) below[k] += sum - n / 2.0 <= places[k] * std::sqrt(n / 12.0);
  }
  for (int k = 0; k < 3; ++k) {
    const double p = montecarlo::irwin_hall_cdf(n, n / 2.0 + places[k] * std::sqrt(n / 12.0));
    report.checks.push_back(monte_carlo(fmt::format("P(Z <= {}), n = 12, by draws", places[k]), p, below[k] / draws,
                                        std::sqrt(p * (1 - p) / draws)));
  }
  return report;
}

}  // namespace manychain::gallery
