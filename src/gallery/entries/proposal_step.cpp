// Random-walk Metropolis on N(0, 1): what the step of the proposal costs.
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "gallery/direct_draws.hpp"
#include "gallery/entries.hpp"
#include "manychain/manychain.hpp"

namespace manychain::gallery {
namespace {

struct Run {
  double acceptance = 0, error = 0;  ///< mean over chains, and its standard error
  double efficiency = 0;             ///< effective draws per transition
  std::string device;
};

/// Chains start from exact draws of the target, so that nothing needs to be thrown away. By another seed: numbers of
/// theirs are what they move by.
Run run(const GalleryOptions& options, double step, std::size_t chains, std::size_t draws) {
  Settings settings = settings_for(options);
  settings.sampler = "metropolis";
  settings.sampling.step_size = step;
  settings.chains = chains;
  settings.sampling.draws = draws;
  settings.warmup.transitions = 0;
  draw_normals(~options.seed, 0, 0, int(chains), [&](int, double z) { settings.warmup.initial_points.push_back(z); });
  const Result result = sample(builtin_model("normal", Data::from_json(R"({"D": 1})")), settings);

  Run r;
  r.device = result.backend + ", " + result.device;
  double squares = 0;
  constexpr std::size_t acceptance = 1;  // of sample_stat_names
  for (std::size_t c = 0; c < chains; ++c) {
    double mean = 0;
    for (std::size_t d = 0; d < draws; ++d) mean += result.sample_stats(d, acceptance, c) / double(draws);
    const double delta = mean - r.acceptance;
    r.acceptance += delta / double(c + 1);
    squares += delta * (mean - r.acceptance);
  }
  r.error = std::sqrt(squares / double(chains - 1) / double(chains));
  r.efficiency = result.summary[0].statistics.ess_bulk / double(chains * draws);
  return r;
}

}  // namespace

Report proposal_step(const GalleryOptions& options) {
  Report report;
  const std::size_t chains = 1024, draws = options.quick ? 200 : 2000;
  const std::vector<double> steps = {0.1, 2.4, 50};
  Table table{{"step", "acceptance rate", "known", "effective draws per transition"}, {}};
  std::vector<Run> runs;
  for (double s : steps) {
    const Run r = run(options, s, chains, draws);
    const double known = 2 / std::numbers::pi * std::atan(2 / s);
    table.rows.push_back({fmt::format("{}", s), fmt::format("{:.5f}", r.acceptance), fmt::format("{:.5f}", known),
                          fmt::format("{:.5f}", r.efficiency)});
    report.checks.push_back(
        monte_carlo(fmt::format("acceptance rate, step {}", s), known, r.acceptance, r.error, double(chains - 1)));
    runs.push_back(r);
  }
  report.lines = {
      "The target N(0, 1), proposals x + N(0, s^2): (2 / pi) atan(2 / s) of them are accepted. Small steps are",
      "accepted and lead nowhere; large ones are rejected. The best step, 2.4, accepts 44 %.",
      fmt::format("{} chains of {} transitions from exact draws, on {}.", chains, draws, runs[0].device)};
  report.tables.push_back(table);
  report.checks.push_back(
      less("10 times the efficiency of step 0.1, that of 2.4", 10 * runs[0].efficiency, runs[1].efficiency));
  report.checks.push_back(
      less("10 times the efficiency of step 50, that of 2.4", 10 * runs[2].efficiency, runs[1].efficiency));
  return report;
}

}  // namespace manychain::gallery
