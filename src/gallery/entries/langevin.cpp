// The worth of a gradient: Langevin proposals beside those of a random walk.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "gallery/chain_means.hpp"
#include "gallery/direct_draws.hpp"
#include "gallery/entries.hpp"
#include "gallery/models/fifty_normals.hpp"
#include "manychain/manychain.hpp"

namespace manychain::gallery {
namespace {

constexpr std::size_t dimension = models::FiftyNormals<float>::dimension;

struct Run {
  ChainMean mean, square, product;
  double acceptance = 0;
  double efficiency = 0;  ///< effective draws per transition, of the means of components
  std::string ran;
};

Run run(const GalleryOptions& options, const char* sampler, double step) {
  Settings settings = settings_for(options);
  settings.sampler = sampler;
  settings.sampling.step_size = step;
  settings.chains = 512;
  settings.warmup.transitions = 0;
  settings.sampling.thin = 10;
  settings.sampling.draws = options.quick ? 50 : 200;
  // Exact draws of the target: there is nothing to wait for, and nothing to be thrown away. By another seed: numbers of
  // this one are those that chains move by.
  settings.warmup.initial_points.reserve(dimension * settings.chains);
  draw_normals(~options.seed, 0, 0, int(dimension * settings.chains),
               [&](int, double z) { settings.warmup.initial_points.push_back(z); });
  const Result result = sample(model<models::FiftyNormals>(), settings);
  const Draws& x = result.draws;

  std::vector<std::vector<double>> means;
  for (std::size_t i = 0; i < dimension; ++i) {
    means.push_back(chain_means(0, x.draws, x.chains, [&](auto d, auto c) { return x(d, i, c); }));
  }
  Run r;
  r.ran = ran(result);
  r.acceptance = result.sampling.acceptance_rate;
  r.mean = mean_of(means[0]);
  const auto over_components = [&](std::size_t lag) {
    return expectation_of(x, [&](auto d, auto c) {
      double sum = 0;
      for (std::size_t i = 0; i < dimension; ++i) sum += x(d, i, c) * x(d, (i + lag) % dimension, c);
      return sum / dimension;
    });
  };
  r.square = over_components(0);
  r.product = over_components(1);
  // Chains are independent and the variance is one: so is that of a chain's mean, times its effective draws.
  double variance = 0;
  for (const auto& component : means) {
    for (double m : component) variance += m * m / double(dimension * settings.chains);
  }
  r.efficiency = 1 / variance / double(*settings.sampling.draws * settings.sampling.thin);
  return r;
}

}  // namespace

Report langevin(const GalleryOptions& options) {
  // The best steps for many dimensions: Roberts, Gelman and Gilks (1997); Roberts and Rosenthal (1998).
  const Run walk = run(options, "metropolis", 2.38 / std::sqrt(dimension));
  const Run mala = run(options, "mala", 1.65 * 1.65 / std::cbrt(dimension));
  Report report;
  report.lines = {
      "50 independent normal variates, by a random walk with steps 2.38 / sqrt(50), and by steps that follow the",
      "gradient, eps = 1.65^2 / 50^(1/3), corrected (MALA). For many dimensions the best rates of acceptance are",
      "0.234 and 0.574, and a draw costs of the order of D transitions or of D^(1/3).", walk.ran};
  Table table{{"sampler", "acceptance", "effective draws per transition"}, {}};
  for (const auto& [name, r] : {std::pair{"metropolis", &walk}, std::pair{"mala", &mala}}) {
    table.rows.push_back({name, fmt::format("{:.3f}", r->acceptance), fmt::format("{:.4f}", r->efficiency)});
    report.checks.push_back(check_of(fmt::format("{}: E x1", name), 0, r->mean));
    report.checks.push_back(check_of(fmt::format("{}: E x^2, all components", name), 1, r->square));
    report.checks.push_back(check_of(fmt::format("{}: E of products of neighbours", name), 0, r->product));
  }
  report.tables.push_back(table);
  report.checks.push_back(less("effective draws per transition: random walk, MALA", walk.efficiency, mala.efficiency));
  return report;
}

}  // namespace manychain::gallery
