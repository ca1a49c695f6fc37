#include "bias.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "bias/targets.hpp"
#include "manychain/core/error.hpp"
#include "sampling/watch.hpp"

namespace manychain::bench {
namespace {

constexpr std::size_t looks_behind_warmup = 40;  // transitions

const char* word(ColdStart start) {
  return start == ColdStart::default_settings ? "default" : start == ColdStart::uniform ? "uniform" : "own_points";
}

const BiasTarget& target_of(const BiasCase& what) {
  for (const BiasTarget& target : bias_targets())
    if (target.name == what.target) return target;
  throw BadInput("there is no target " + what.target);
}

Settings settings_of(const BiasCase& what, const Options& options) {
  Settings settings = settings_of(Case{Kind::end_to_end, "hmc", what.target, what.chains}, options);
  if (what.start != ColdStart::default_settings) settings.warmup.starts = Starts::uniform;
  if (what.start == ColdStart::own_points) settings.superchains = 0;
  settings.sampling.draws = looks_behind_warmup;
  settings.output.keep_draws = false;
  settings.output.keep_sample_stats = false;
  settings.blocks_per_second = 1'000'000'000;  // a transition each
  return settings;
}

std::string count(const std::optional<double>& gradients) {
  return gradients ? fmt::format("{:.0f}", *gradients) : "never";
}

}  // namespace

std::string BiasCase::name() const { return "bias/" + target + "/" + std::to_string(chains) + "/" + word(start); }

std::vector<BiasCase> bias_cases() {
  std::vector<BiasCase> cases;
  for (const BiasTarget& target : bias_targets()) {
    for (const ColdStart start : {ColdStart::default_settings, ColdStart::uniform})
      for (const std::size_t chains : {512, 2048, 4096, 8192}) cases.push_back({target.name, chains, start});
    if (!target.published.empty()) cases.push_back({target.name, 4096, ColdStart::own_points});
  }
  return cases;
}

BiasFigure run_bias(const BiasCase& what, const Options& options) {
  const BiasTarget& target = target_of(what);
  const double chains = static_cast<double>(what.chains);
  BiasFigure figure;
  figure.what = what;
  figure.dimension = target.squares.size();
  figure.source = target.source;
  figure.published = target.published;
  std::vector<BiasPoint> trace;
  double sum = 0;
  sample_watched(target.model(), settings_of(what, options), [&](const Engine& engine, const Watched& at) {
    const std::vector<double> b2 =
        squared_bias(engine.points(what.chains).positions, what.chains, target.squares, target.positive);
    BiasPoint point;
    figure.of_paths = static_cast<double>(at.longest_path);
    point.gradients = 1 + figure.of_paths + static_cast<double>(at.evaluations) / chains;  // one at the starting point
    for (const double b : b2) {
      point.mean += b / static_cast<double>(b2.size());
      if (!(b <= point.largest)) point.largest = b;  // a NaN stays
    }
    point.sampling = at.sampling;
    if (at.sampling) {
      sum += point.mean;
      figure.largest_sampling = std::max(figure.largest_sampling, point.largest);
    } else {
      figure.of_warmup = point.gradients;
    }
    trace.push_back(point);
  });
  figure.gradients = crossing(trace, bias_limit);
  figure.watched = trace.back().gradients;
  figure.mean_times_chains = chains * sum / static_cast<double>(looks_behind_warmup);
  return figure;
}

void print_bias_heading() {
  fmt::print("\nBias of second moments: gradients of a chain until the largest b^2(x^2) is below {}\n", bias_limit);
  fmt::print("{:<44} {:>8} {:>9} {:>6} {:>8} {:>8} {:>8} {:>9}  {}\n", "bias/target/chains/starts", "first", "for good",
             "paths", "warm-up", "watched", "b^2 M", "largest", "published");
}

void print_bias(const BiasFigure& f) {
  fmt::print("{:<44} {:>8} {:>9} {:>6.0f} {:>8.0f} {:>8.0f} {:>8.2f} {:>9.1e}  {}\n", f.what.name(),
             count(f.gradients.first), count(f.gradients.for_good), f.of_paths, f.of_warmup, f.watched,
             f.mean_times_chains, f.largest_sampling, f.what.chains == 4096 ? f.published : "");
  std::fflush(stdout);
}

void print_bias_end() {
  fmt::print("\nMoments:\n");
  for (const BiasTarget& target : bias_targets()) fmt::print("  {:<26} {}\n", target.name, target.source);
}

}  // namespace manychain::bench
