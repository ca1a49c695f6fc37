// Rejection sampling and a Markov chain in more and more dimensions.
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "gallery/chain_means.hpp"
#include "gallery/counts.hpp"
#include "gallery/direct_draws.hpp"
#include "gallery/entries.hpp"
#include "gallery/walk_acceptance.hpp"
#include "manychain/manychain.hpp"
#include "manychain/montecarlo/rejection.hpp"

namespace manychain::gallery {
namespace {

/// N(0, I) from two-sided exponential draws: of D components the log of f / (M^D q) is the sum of -(|x_i| - 1)^2 / 2.
montecarlo::RejectionRun reject(std::uint64_t seed, int dimension, int draws) {
  montecarlo::RejectionRun run{.proposed = std::size_t(draws)};
  for (int i = 0; i < draws; ++i) {
    double log_ratio = 0, last = 0;
    draw_uniforms(seed, std::uint64_t(dimension), std::uint64_t(i), dimension + 1, [&](int j, double u) {
      const double off = -std::log(u) - 1;  // |x| - 1; the sign decides nothing
      if (j < dimension)
        log_ratio -= off * off / 2;
      else
        last = u;
    });
    run.above_bound += log_ratio > 0;
    run.accepted += std::log(last) <= log_ratio;
  }
  return run;
}

}  // namespace

Report rejection_dimension(const GalleryOptions& options) {
  const double bound = std::sqrt(2 * std::numbers::e / std::numbers::pi);
  Report report;
  Table table{{"D", "rejection accepts", "M^-D", "Metropolis accepts", "known", "its draws per transition"}, {}};
  std::size_t above = 0;
  double rejection_last = 0, walk_last = 0;
  for (int dimension : {1, 2, 5, 10, 20}) {
    const int draws = options.quick ? 20'000 : 200'000;
    const montecarlo::RejectionRun run = reject(options.seed, dimension, draws);
    const double known = std::pow(bound, -dimension), accepted = double(run.accepted) / draws;
    above += run.above_bound;
    report.checks.push_back(
        binomial_check(fmt::format("rejection accepts, D = {}", dimension), known, run.proposed, run.accepted));

    Settings settings = settings_for(options);
    settings.sampler = "metropolis";
    settings.sampling.step_size = 2.38 / std::sqrt(dimension);
    settings.chains = 512;
    settings.warmup.transitions = 0;
    settings.sampling.draws = options.quick ? 100 : 500;
    // Exact draws, by another seed: numbers of this one are those that chains move by.
    draw_normals(~options.seed, std::uint64_t(dimension), 0, dimension * int(settings.chains),
                 [&](int, double z) { settings.warmup.initial_points.push_back(z); });
    const Result result =
        sample(builtin_model("normal", Data::from_json(fmt::format(R"({{"D": {}}})", dimension))), settings);
    const Draws& stats = result.sample_stats;
    const ChainMean rate = expectation_of(stats, [&](auto d, auto c) { return stats(d, 1, c); });
    const double walk_known = walk_acceptance(dimension, *settings.sampling.step_size);
    report.checks.push_back(check_of(fmt::format("Metropolis accepts, D = {}", dimension), walk_known, rate));
    double effective = 0;
    for (const SummaryRow& row : result.summary) effective += row.statistics.ess_bulk / dimension;
    effective /= double(settings.chains * *settings.sampling.draws);
    table.rows.push_back({fmt::format("{}", dimension), fmt::format("{:.5f}", accepted), fmt::format("{:.5f}", known),
                          fmt::format("{:.4f}", rate.value), fmt::format("{:.4f}", walk_known),
                          fmt::format("{:.4f}", effective)});
    rejection_last = known, walk_last = effective;
    if (report.lines.empty()) {
      report.lines = {
          "N(0, I) in D dimensions. Rejection from two-sided exponential draws accepts one in M^D, M =",
          "sqrt(2 e / pi) = 1.3155; what it accepts is an independent draw. A random walk with steps 2.38 / sqrt(D)",
          fmt::format(
              "accepts about a quarter in any dimension, and its effective draws fall as 1 / D. {} trials each;",
              draws),
          ran(result)};
    }
  }
  report.tables.push_back(table);
  report.checks.push_back(same("draws above the bound", "0", fmt::format("{}", above)));
  report.checks.push_back(exact("acceptance of the walk, D = 1: (2 / pi) atan(2 / s)",
                                2 / std::numbers::pi * std::atan(2 / 2.38), walk_acceptance(1, 2.38), 1e-8));
  // 0.0042 and some 0.011, of which the latter scatters by a few percent.
  report.checks.push_back(less("draws a trial at D = 20: rejection, Metropolis", rejection_last, walk_last));
  return report;
}

}  // namespace manychain::gallery
