// Rejection sampling under an envelope, by chains that each search until they have a draw.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "gallery/chain_means.hpp"
#include "gallery/entries.hpp"
#include "gallery/models/two_hills.hpp"
#include "manychain/manychain.hpp"

namespace manychain::gallery {
namespace {

const double root_two_pi = std::sqrt(2 * std::numbers::pi);

double density(double x) { return 0.2 * std::exp(-0.5 * (x + 1) * (x + 1)) + 0.1 * std::exp(-0.5 * (x - 3) * (x - 3)); }
double proposal(double x) { return std::exp(-(x - 1) * (x - 1) / 18) / (3 * root_two_pi); }
double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

Settings settings_of(const GalleryOptions& options) {
  Settings settings = settings_for(options);
  settings.sampler = "rejection";
  settings.chains = 4096;
  settings.warmup.transitions = 0;
  settings.sampling.draws = options.quick ? 10 : 100;
  return settings;
}

Model hills(double envelope) {
  Data data;
  data.set("M", envelope);
  return model<models::TwoHills>(data);
}

}  // namespace

Report envelope(const GalleryOptions& options) {
  const Result result = sample(hills(2), settings_of(options));
  const Draws &x = result.draws, &stats = result.sample_stats;
  Report report;
  report.lines = {
      "p(x) = 0.2 exp(-(x + 1)^2 / 2) + 0.1 exp(-(x - 3)^2 / 2), whose integral is Z = 0.3 sqrt(2 pi), below the",
      "envelope 2 q, q = N(1, 9): x from q is kept with probability p(x) / (2 q(x)), that is Z / 2 of the time.",
      ran(result)};
  double highest = 0;
  for (int i = -20'000; i <= 20'000; ++i) highest = std::max(highest, density(0.001 * i) / (2 * proposal(0.001 * i)));
  report.checks.push_back(less("p / (2 q), at most, beside 1", highest, 1));

  // Kept with each draw is the probability that its first trial is accepted.
  const double z = 0.3 * root_two_pi;
  const ChainMean rate = expectation_of(stats, [&](auto d, auto c) { return stats(d, 1, c); });
  report.checks.push_back(
      check_of("acceptance rate, Z / 2", z / 2, {result.sampling.acceptance_rate, rate.standard_error, rate.chains}));
  const double mean = 1.0 / 3, variance = 1 + (2.0 * 1 + 1.0 * 9) / 3 - mean * mean;
  report.checks.push_back(check_of("E x", mean, expectation_of(x, [&](auto d, auto c) { return x(d, 0, c); })));
  report.checks.push_back(check_of(
      "var x", variance, expectation_of(x, [&](auto d, auto c) { return (x(d, 0, c) - mean) * (x(d, 0, c) - mean); })));
  for (double at : {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0}) {
    report.checks.push_back(check_of(fmt::format("P(x <= {})", at), 2 * normal_cdf(at + 1) / 3 + normal_cdf(at - 3) / 3,
                                     expectation_of(x, [&](auto d, auto c) { return x(d, 0, c) <= at; })));
  }

  // q alone is no envelope: the run must stop, and name a point where that shows.
  std::string said = "nothing";
  bool shows = false;
  try {
    sample(hills(1), settings_of(options));
  } catch (const SamplingFailed& error) {
    said = error.what();
    const std::size_t equals = said.find("x = ");
    if (equals != std::string::npos) {
      const double at = std::stod(said.substr(equals + 4));
      shows = density(at) > proposal(at);
      report.lines.push_back(fmt::format("With M = 1: p({:.4g}) = {:.4g} > q({:.4g}) = {:.4g}, and the run says:", at,
                                         density(at), at, proposal(at)));
      report.lines.push_back("  " + said);
    }
  }
  report.checks.push_back(same("an envelope with M = 1", "stops at a point above it",
                               shows ? "stops at a point above it" : "said " + said));
  return report;
}

}  // namespace manychain::gallery
