#include "starts/starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/threads.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "starts/each_path.hpp"
#include "starts/pathfinder.hpp"

namespace manychain {
namespace {

// Evaluations of a path for independent components, in which it may read so many numbers.
constexpr std::size_t mean_field = 4000, mean_field_if_foreign = 500, mean_field_numbers = 1 << 25;
constexpr double far_below = 10;             // of the log density, for each dimension
constexpr double far_beside_spike = 1000;    // of the log density
constexpr double far_from_good = 1;          // of the log density, for each dimension
constexpr double negligible = 10;            // of the logarithm of a share of the posterior
constexpr std::size_t most_paths = 16;       // of a group
constexpr std::size_t spread_wanted = 1024;  // points that tell the shape, of all paths
// Numbers of more paths: no chain has so large a number, and none of those of looks for modes is so small.
constexpr std::uint64_t first_of_more = std::uint64_t{1} << 45;

// Below, weights p / q hardly differ: the best of a handful of draws is any of them.
constexpr double even_weights = 0.5;
// Below, an approximation that has left a spike is as good a place to start as any.
constexpr double good_beside_spike = 1;

/// True if the path began where chains need not travel far from. Where the path itself has run into a spike, chains
/// that travel far may, too; and steps that suit the way there from a narrow place cost more than a good approximation.
bool began_near(const Path& path, const DrawnStarts& drawn, double log_density_at_start) {
  const double n = static_cast<double>(drawn.log_densities.size());
  const double mean = std::accumulate(drawn.log_densities.begin(), drawn.log_densities.end(), 0.0) / n;
  const double dimension = static_cast<double>(path.normal.dimension());
  double far = far_below * dimension;
  if (path.left_a_spike)
    far = path.elbo_spread < good_beside_spike ? far_from_good * dimension : std::min(far, far_beside_spike);
  return log_density_at_start > mean - far;
}

/// The evidence lower bound is a mean of `draws` values; the bound of a bad approximation is too low by what its values
/// scatter. Few of its draws may be terrible: then its best draw tells more than their mean.
bool holds_nothing(const Path& path, const Path& best) {
  return path.elbo < best.elbo - std::max(negligible, 5 * path.elbo_spread) ||
         path.highest_ratio < best.highest_ratio - std::max(negligible, 2 * best.elbo_spread);
}

/// A path that ended before a mode, so far below the best one that no volume makes up for it. Chains there would stray,
/// and shorten the steps of all until they are restarted.
bool ended_nowhere(const Path& path, double best) {
  return !usable(path) && !path.best_point.empty() &&
         path.best_log_density < best - far_below * static_cast<double>(path.best_point.size());
}

struct Chosen {
  std::vector<std::size_t> good;  ///< paths whose place holds some of the posterior
  std::vector<std::size_t> from;  ///< [path] the one that gives its starts
};

/// Counts in `found` what was left.
Chosen choose(const std::vector<Path>& paths, StartsFound& found) {
  Chosen chosen;
  Path none;
  none.elbo = none.highest_ratio = -std::numeric_limits<double>::infinity();
  const Path* best = &none;
  for (const Path& path : paths)
    if (usable(path) && path.elbo > best->elbo) best = &path;
  std::size_t nowhere = 0;
  for (std::size_t p = 0; p < paths.size(); ++p)
    if (usable(paths[p]) && !holds_nothing(paths[p], *best)) chosen.good.push_back(p);
  for (std::size_t p = 0; p < paths.size(); ++p) {
    chosen.from.push_back(p);
    if (usable(paths[p])) ++found.found;
    if (ended_nowhere(paths[p], best->elbo))
      chosen.from[p] = chosen.good[(nowhere++ + found.left) % chosen.good.size()];
    if (!usable(paths[p]) || !holds_nothing(paths[p], *best)) continue;
    found.largest_gap = std::max(found.largest_gap, best->elbo - paths[p].elbo);
    chosen.from[p] = chosen.good[found.left++ % chosen.good.size()];
  }
  return chosen;
}

/// Deviations from the paths whose approximation has the posterior's shape.
std::vector<double> deviations(const std::vector<Path>& paths, const std::vector<std::size_t>& good,
                               const StartsWanted& wanted) {
  const std::size_t of_each = (spread_wanted + paths.size() - 1) / paths.size();
  std::vector<double> all;
  for (const std::size_t p : good) {
    if (paths[p].elbo_spread > nearly_normal) continue;
    const std::vector<double> shape = draw_deviations(paths[p], of_each, wanted.seed, wanted.first_path + p);
    all.insert(all.end(), shape.begin(), shape.end());
  }
  return all;
}

/// Adds a group to all groups together.
void add(StartsFound& all, const StartsFound& group) {
  all.taken = all.taken || group.taken;
  all.paths += group.paths;
  all.found += group.found;
  all.left += group.left;
  all.largest_gap = std::max(all.largest_gap, group.largest_gap);
  all.evaluations += group.evaluations;
}

std::size_t mean_field_evaluations(const Model& model) {
  const std::optional<std::size_t> numbers = gradient_values(model);
  if (!numbers) return mean_field_if_foreign;
  return std::min(mean_field, mean_field_numbers / std::max<std::size_t>(*numbers, 1));
}

/// Most of the good paths began near, and few were left: from the points of these chains would come to the same places,
/// and stay there.
bool most_are_near(std::size_t near, const Chosen& chosen, const StartsFound& found) {
  return 2 * near >= chosen.good.size() && 2 * found.left <= found.found;
}

/// Runs all paths, and chooses among them. Those of which points will be of no use end early.
Chosen run_paths(PathTeam& for_each_path, const StartsWanted& wanted, const PathfinderPlan& plan,
                 std::vector<Path>& found, StartsFound& report) {
  PathfinderPlan first = plan;
  first.near = wanted.only_if_far ? far_below : 0;
  for_each_path([&](std::size_t p, const DensityEvaluator& density) {
    found[p] = pathfinder(density, wanted.from[p], wanted.seed, wanted.first_path + p, first);
  });
  const StartsFound before = report;
  Chosen chosen = choose(found, report);
  const auto near =
      std::count_if(chosen.good.begin(), chosen.good.end(), [&](std::size_t p) { return found[p].began_near; });
  const bool enough = !chosen.good.empty() && most_are_near(static_cast<std::size_t>(near), chosen, report);
  if (!wanted.only_if_far || enough) return chosen;
  for_each_path([&](std::size_t p, const DensityEvaluator& density) {
    if (!found[p].began_near) return;
    const std::size_t evaluations = found[p].evaluations;
    found[p] = pathfinder(density, wanted.from[p], wanted.seed, wanted.first_path + p, plan);
    found[p].evaluations += evaluations;
  });
  report = before;
  return choose(found, report);
}

/// As many paths again, from the same points, mirrored and twice as far away. They are added to `found`. Growth curves
/// with unscaled times, for example, are flat around nearly all points, and most of the first paths find nothing.
Chosen choose_with_more(const Model& model, StartsWanted wanted, const PathfinderPlan& plan, std::vector<Path>& found,
                        StartsFound& report) {
  const std::size_t before = found.size();
  for (std::vector<double>& from : wanted.from)
    for (double& x : from) x *= -2;
  wanted.first_path += first_of_more;
  found.resize(before + wanted.from.size());
  PathTeam for_each_path(model, wanted);
  for_each_path([&](std::size_t p, const DensityEvaluator& density) {
    found[before + p] = pathfinder(density, wanted.from[p], wanted.seed, wanted.first_path + p, plan);
  });
  report = {};
  report.paths = found.size();
  return choose(found, report);
}

}  // namespace

FoundStarts find_starts(const Model& model, const StartsWanted& wanted) {
  const std::size_t paths = wanted.from.size(), d = model.layout().dimension;
  const std::size_t of_each = (wanted.count + paths - 1) / paths;
  const bool expensive = has_expensive_gradient(model);
  PathfinderPlan plan;
  plan.mean_field_evaluations = mean_field_evaluations(model);
  FoundStarts starts;
  starts.report.paths = paths;

  std::vector<Path> found(paths);
  PathTeam for_each_path(model, wanted);
  Chosen chosen = run_paths(for_each_path, wanted, plan, found, starts.report);
  if (wanted.more_if_few && 2 * starts.report.found <= paths && gradient_values(model) && !expensive)
    chosen = choose_with_more(model, wanted, plan, found, starts.report);

  // Each place draws with random numbers of its own, from its path or from another one.
  std::vector<DrawnStarts> drawn(paths);
  for_each_path([&](std::size_t p, const DensityEvaluator& density) {
    const Path& path = found[chosen.from[p]];
    PathfinderPlan mine = plan;
    if (expensive && path.elbo_spread < even_weights) mine.handful = 1;
    if (usable(path)) drawn[p] = draw_starts(density, path, of_each, wanted.seed, wanted.first_path + p, mine);
  });

  std::size_t near = 0;
  std::vector<double> began;
  std::vector<std::size_t> first_good;  // not of the paths that began farther out
  for (const std::size_t p : chosen.good)
    if (p < paths) first_good.push_back(p);
  for (const std::size_t p : first_good) began.insert(began.end(), wanted.from[p].begin(), wanted.from[p].end());
  const std::vector<double> log_densities = model.bound().densities(began, first_good.size());
  for (std::size_t k = 0; k < first_good.size(); ++k)
    near += found[first_good[k]].began_near || began_near(found[first_good[k]], drawn[first_good[k]], log_densities[k]);
  starts.near = most_are_near(near, chosen, starts.report);

  starts.points.resize(wanted.count * d);
  for (std::size_t k = 0; k < wanted.count; ++k) {
    const std::size_t p = k % paths;
    const Path& path = found[p];
    starts.drawn.push_back(!drawn[p].points.empty());
    const double* const point = !drawn[p].points.empty() ? drawn[p].points.data() + k / paths * d
                                : std::isfinite(path.best_log_density) && !path.best_point.empty()
                                    ? path.best_point.data()
                                    : wanted.from[p].data();
    std::copy_n(point, d, starts.points.begin() + static_cast<std::ptrdiff_t>(k * d));
  }
  starts.report.evaluations = first_good.size();
  for (std::size_t p = 0; p < found.size(); ++p) {
    const std::size_t evaluations = found[p].evaluations + (p < paths ? drawn[p].evaluations : 0);
    starts.report.evaluations += evaluations;
    starts.longest_path = std::max(starts.longest_path, evaluations);
  }
  if (!starts.near || !wanted.only_if_far) starts.spread = deviations(found, chosen.good, wanted);
  return starts;
}

namespace {
/// [start] the one whose point it takes: its own, or if that is `bad` another one, in turn. Prefers points that were
/// drawn from an approximation. Empty: all are bad.
std::vector<std::size_t> others_for(const double* bad, const FoundStarts& starts) {
  std::vector<std::size_t> drawn, any, from;
  for (std::size_t k = 0; k < starts.drawn.size(); ++k) {
    if (bad[k] != 0) continue;
    any.push_back(k);
    if (starts.drawn[k]) drawn.push_back(k);
  }
  const std::vector<std::size_t>& others = drawn.empty() ? any : drawn;
  if (others.empty()) return from;
  std::size_t replaced = 0;
  for (std::size_t k = 0; k < starts.drawn.size(); ++k)
    from.push_back(bad[k] == 0 ? k : others[replaced++ % others.size()]);
  return from;
}

bool has_paths(const Model& model) { return model.has_gradient() && model.layout().integers == 0; }
}  // namespace

void require_paths(const Model& model, const Settings& settings) {
  if (settings.warmup.starts == Starts::pathfinder && settings.warmup.initial_points.empty() && !has_paths(model))
    throw BadInput("Settings::warmup.starts: pathfinder follows gradients of all parameters, which model " +
                   model.name() + " does not give; leave it out");
}

bool wants_paths(const Model& model, const Settings& settings, const SamplerInfo& sampler) {
  if (!settings.warmup.initial_points.empty() || !has_paths(model)) return false;
  if (settings.warmup.starts != Starts::automatic) return settings.warmup.starts == Starts::pathfinder;
  return sampler.tuned && sampler.needs_capability(&Capabilities::gradient) && !settings.sampling.step_size &&
         *settings.warmup.transitions > 0;
}

StartsTaken start_from_paths(const Model& model, const Settings& settings, Engine& engine, TunedGroups& tuned) {
  const std::size_t d = model.layout().dimension, chains = settings.chains, of_group = chains / settings.groups;
  const std::size_t count = *settings.superchains > 0 ? *settings.superchains : of_group;
  const int threads = threads_of_setting(settings.threads);
  const std::vector<double> uniform = engine.points(chains).positions;
  std::vector<FoundStarts> groups(settings.groups);
  std::vector<double> positions(d * chains);
  const auto place = [&](std::size_t g, const auto& point_of) {
    for (std::size_t c = 0; c < of_group; ++c)
      for (std::size_t i = 0; i < d; ++i) positions[i * chains + g * of_group + c] = point_of(c)[i];
  };
  const auto leave = [&](std::size_t g) {
    groups[g].report.taken = false;
    place(g, [&](std::size_t c) { return uniform.data() + (g * of_group + c) * d; });
  };
  bool moved = false, back = false;
  for (std::size_t g = 0; g < settings.groups; ++g) {
    const std::size_t first = g * of_group;
    StartsWanted wanted{{}, count, settings.seed, settings.first_chain + first, threads, settings.cancel};
    wanted.only_if_far = settings.warmup.starts != Starts::pathfinder;
    wanted.more_if_few = true;
    for (std::size_t p = 0; p < std::min(count, most_paths); ++p) wanted.from.push_back(engine.position(first + p));
    groups[g] = find_starts(model, wanted);
    groups[g].report.taken = !groups[g].near || settings.warmup.starts == Starts::pathfinder;
    moved = moved || groups[g].report.taken;
    if (groups[g].report.taken)
      place(g, [&](std::size_t c) { return groups[g].points.data() + c % count * d; });
    else
      leave(g);
  }
  if (moved) {
    engine.initialise(positions, 0);
    const std::vector<double> bad = engine.statistics().nonfinite;
    for (std::size_t g = 0; g < settings.groups; ++g) {
      const double* const bad_starts = bad.data() + g * of_group;
      if (!groups[g].report.taken || std::all_of(bad_starts, bad_starts + count, [](double b) { return b == 0; }))
        continue;
      const std::vector<std::size_t> from = others_for(bad_starts, groups[g]);
      if (from.empty())
        leave(g);
      else
        place(g, [&](std::size_t c) { return groups[g].points.data() + from[c % count] * d; });
      back = true;
    }
  }
  if (back) engine.initialise(positions, 0);
  StartsTaken all;
  for (std::size_t g = 0; g < settings.groups; ++g) {
    add(all.report, groups[g].report);
    all.longest_path = std::max(all.longest_path, groups[g].longest_path);
    if (groups[g].report.taken && !groups[g].spread.empty()) tuned.set_first_metric(g, groups[g].spread);
  }
  return all;
}

}  // namespace manychain
