#include "run/starts.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <numeric>
#include <thread>

#include "manychain/chain/program.hpp"
#include "run/pathfinder.hpp"

namespace manychain {
namespace {

constexpr double far_below = 10;             // of the log density, for each dimension
constexpr double negligible = 10;            // of the logarithm of a share of the posterior
constexpr std::size_t most_paths = 16;       // of a group
constexpr std::size_t spread_wanted = 1024;  // points that tell the shape, of all paths

constexpr double no_normal = 100, nearly_normal = 3;

/// A path that ended before it reached a mode, and fits nothing.
bool usable(const Path& path) {
  return path.found && !(path.end == PathEnd::iterations && path.elbo_spread > no_normal);
}

/// Whether the path began where chains need not travel far from.
bool began_near(const Path& path, const DrawnStarts& drawn, double log_density_at_start) {
  const double n = static_cast<double>(drawn.log_densities.size());
  const double mean = std::accumulate(drawn.log_densities.begin(), drawn.log_densities.end(), 0.0) / n;
  return log_density_at_start > mean - far_below * static_cast<double>(path.normal.dimension());
}

/// The evidence lower bound is a mean of `draws` values; the bound of a bad approximation is too low by what its values
/// scatter.
bool holds_nothing(const Path& path, double best) {
  return path.elbo < best - std::max(negligible, 5 * path.elbo_spread);
}

}  // namespace

FoundStarts find_starts(const Model& model, const StartsWanted& wanted) {
  const std::size_t paths = wanted.from.size(), d = model.layout().dimension;
  const PathfinderPlan plan;
  std::vector<Path> found(paths);
  std::vector<DrawnStarts> drawn(paths);
  const auto cancelled = [&] { return wanted.cancel && wanted.cancel->load(); };
  const std::size_t of_each = (wanted.count + paths - 1) / paths;
  const std::size_t spread_of_each = (spread_wanted + paths - 1) / paths;

  // Every path needs an evaluator of its own; which thread takes it changes nothing.
  std::atomic<std::size_t> next{0};
  std::vector<std::size_t> drawn_by(paths);  // the path that gives the starts of each
  std::exception_ptr error;
  std::atomic<bool> failed{false};
  const auto in_threads = [&](const auto& work) {
    next = 0;
    const auto loop = [&] {
      try {
        const auto evaluate = model.bound().evaluator();
        const DensityAndGradient density = [&](const double* q, double* gradient) {
          return cancelled() ? std::numeric_limits<double>::quiet_NaN() : evaluate(q, gradient);
        };
        for (std::size_t p; (p = next++) < paths && !failed;) work(p, density);
      } catch (...) {
        if (!failed.exchange(true)) error = std::current_exception();
      }
    };
    std::vector<std::thread> others;
    const std::size_t threads = std::min(paths, static_cast<std::size_t>(std::max(wanted.threads, 1)));
    for (std::size_t t = 1; t < threads; ++t) others.emplace_back(loop);
    loop();
    for (std::thread& thread : others) thread.join();
    if (error) std::rethrow_exception(error);
  };

  in_threads([&](std::size_t p, const DensityAndGradient& density) {
    found[p] = pathfinder(density, wanted.from[p], wanted.seed, wanted.first_path + p, plan);
  });

  FoundStarts starts;
  double best = -std::numeric_limits<double>::infinity();
  for (const Path& path : found)
    if (usable(path)) best = std::max(best, path.elbo);
  std::vector<std::size_t> good;
  for (std::size_t p = 0; p < paths; ++p)
    if (usable(found[p]) && !holds_nothing(found[p], best)) good.push_back(p);
  for (std::size_t p = 0; p < paths; ++p) {
    drawn_by[p] = p;
    if (usable(found[p])) ++starts.paths;
    if (!usable(found[p]) || !holds_nothing(found[p], best)) continue;
    starts.largest_gap = std::max(starts.largest_gap, best - found[p].elbo);
    drawn_by[p] = good[starts.left++ % good.size()];
  }

  // Each place draws with random numbers of its own, from its path or from another one.
  in_threads([&](std::size_t p, const DensityAndGradient& density) {
    const Path& path = found[drawn_by[p]];
    if (!usable(path)) return;
    drawn[p] = draw_starts(density, path, of_each, wanted.seed, wanted.first_path + p, plan);
  });

  std::size_t near = 0;
  const auto evaluate = model.bound().evaluator();
  for (const std::size_t p : good) near += began_near(found[p], drawn[p], evaluate(wanted.from[p].data(), nullptr));
  starts.near = 2 * near >= good.size();
  starts.evaluations = good.size();

  starts.points.resize(wanted.count * d);
  for (std::size_t k = 0; k < wanted.count; ++k) {
    const std::size_t p = k % paths;
    const Path& path = found[p];
    const double* const point = !drawn[p].points.empty() ? drawn[p].points.data() + k / paths * d
                                : std::isfinite(path.best_log_density) && !path.best_point.empty()
                                    ? path.best_point.data()
                                    : wanted.from[p].data();
    std::copy_n(point, d, starts.points.begin() + static_cast<std::ptrdiff_t>(k * d));
  }
  for (std::size_t p = 0; p < paths; ++p) starts.evaluations += found[p].evaluations + drawn[p].evaluations;
  for (const std::size_t p : good) {
    if (found[p].elbo_spread > nearly_normal) continue;  // nor is its covariance that of the posterior
    const std::vector<double> shape = draw_deviations(found[p], spread_of_each, wanted.seed, wanted.first_path + p);
    starts.spread.insert(starts.spread.end(), shape.begin(), shape.end());
  }
  return starts;
}

bool wants_paths(const Model& model, const Settings& settings, const SamplerInfo& sampler) {
  if (!settings.initial_points.empty() || !model.has_gradient() || model.layout().integers > 0) return false;
  if (settings.starts != Starts::automatic) return settings.starts == Starts::pathfinder;
  return sampler.tuned && sampler.needs_capability(&Capabilities::gradient) && !settings.step_size &&
         settings.warmup > 0;
}

StartsFound start_from_paths(const Model& model, const Settings& settings, Engine& engine, Tuner& tuner) {
  const std::size_t d = model.layout().dimension, chains = settings.chains, of_group = chains / settings.groups;
  const std::size_t count = *settings.superchains > 0 ? *settings.superchains : of_group;
  const int threads = settings.threads > 0 ? settings.threads : static_cast<int>(std::thread::hardware_concurrency());
  const Snapshot uniform = engine.snapshot();
  StartsFound all;
  std::vector<double> positions(d * chains);
  std::vector<std::vector<double>> shapes;
  bool needed = false;
  for (std::size_t first = 0; first < chains; first += of_group) {
    StartsWanted wanted{{}, count, settings.seed, settings.first_chain + first, threads, settings.cancel};
    for (std::size_t p = 0; p < std::min(count, most_paths); ++p) wanted.from.push_back(engine.position(first + p));
    const FoundStarts found = find_starts(model, wanted);
    needed = needed || !found.near || settings.starts == Starts::pathfinder;
    for (std::size_t c = 0; c < of_group; ++c)
      for (std::size_t i = 0; i < d; ++i) positions[i * chains + first + c] = found.points[c % count * d + i];
    shapes.push_back(found.spread);
    all.add(found.paths, found.left, found.largest_gap, wanted.from.size(), found.evaluations);
  }
  if (!needed) return all;
  all.taken = true;
  engine.initialise(positions, 0);
  const std::vector<double> bad = engine.statistics().nonfinite;
  if (std::find(bad.begin(), bad.end(), 1.0) != bad.end()) {
    engine.restore(uniform);
    return {};
  }
  for (std::size_t g = 0; g < shapes.size(); ++g)
    if (!shapes[g].empty()) tuner.expect(g, shapes[g]);
  return all;
}

}  // namespace manychain
