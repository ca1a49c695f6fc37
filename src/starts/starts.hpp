// Starting points of chains that do not know the scale of the posterior: draws from the normal approximations that
// Pathfinder finds from a few points.
//
// Uniform points say nothing of that scale. From up to 16 of them paths run on the host, in double; they give starting
// points and a first metric. Paths do not tell each other where to go.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "warmup/tuned_groups.hpp"

namespace manychain {

struct StartsWanted {
  std::vector<std::vector<double>> from;  ///< a path begins at each of these
  std::size_t count = 0;                  ///< starts; start k is of path k mod from.size()
  std::uint64_t seed = 0;
  std::uint64_t first_path = 0;  ///< number of the first path, for its random numbers
  int threads = 1;
  const std::atomic<bool>* cancel = nullptr;  ///< or null; ends the paths where they are
  bool throws_outside = false;                ///< points where the density throws are outside of its support
  bool only_if_far = false;                   ///< points are of no use where FoundStarts::near is true
  bool more_if_few = false;                   ///< as many paths again, farther out, where half of them find nothing
};

struct FoundStarts {
  std::vector<double> points;  ///< [start][dimension]
  std::vector<bool> drawn;     ///< [start]: from an approximation; else its path found nothing
  /// Draws from the approximations, each less its mean: [point][dimension]. They tell the shape of the
  /// posterior, whatever modes it has. Empty if no path was found, or StartsWanted::only_if_far leaves them out.
  std::vector<double> spread;
  /// Most paths that found something began within 10 dimensions of its log density, or none found anything: chains may
  /// start as well where the paths did. In a posterior of varying scale they had better, for a normal approximation
  /// fits its narrow part best. One that a path has found behind a spike, and whose draws hardly differ in p / q, does
  /// not: beside it near is within 1 for each dimension. False where most paths were left (StartsFound::left): from
  /// these points chains would come to the same places.
  bool near = false;
  StartsFound report;
  std::size_t longest_path = 0;  ///< evaluations of the path that took most, draws from its approximation included
};

/// A function of the model and of what is wanted; threads change nothing.
///
/// A path whose evidence lower bound lies more than 10 below the best one, and by more than five standard deviations of
/// what the bounds rest on, holds some exp(-10) of the posterior or less. Its starts are drawn from the other paths, in
/// turn. A path that found nothing gives its own point, or its best one; if that lies more than 10 for each dimension
/// below the best bound, its starts are drawn from other paths, too. With StartsWanted::more_if_few,
/// where half of the paths find nothing and a gradient is cheap, as many again begin twice as far out, at mirrored
/// points, for starts to be drawn from.
FoundStarts find_starts(const Model& model, const StartsWanted& wanted);

/// Throws BadInput if the settings ask for starting points of Pathfinder, and the model has no gradient to follow.
void require_paths(const Model& model, const Settings& settings);
/// True if a run starts from paths.
bool wants_paths(const Model& model, const Settings& settings, const SamplerInfo& sampler);

struct StartsTaken {
  StartsFound report;            ///< of all groups together
  std::size_t longest_path = 0;  ///< of all groups
};

/// Moves the chains of a run from their uniform starting points to what find_starts() finds, each group on its own:
/// superchains, or without superchains every chain. The tuning is told the shape of the posterior. A group stays where
/// it was if that is near enough, or if none of its chains can start there in the precision of the run. Where some of
/// them cannot, they take places of others, in turn.
StartsTaken start_from_paths(const Model& model, const Settings& settings, Engine& engine, TunedGroups& tuned);

}  // namespace manychain
