// Starting points for chains that do not know the scale of the posterior: single-path Pathfinder (Zhang, Carpenter,
// Gelman, Vehtari 2022, Pathfinder: parallel quasi-Newton variational inference, JMLR 23(306)).
//
// A quasi-Newton method climbs from a point to a mode. At each iterate its estimate of the inverse Hessian gives a
// normal approximation. The one with the largest evidence lower bound need not be the last: if the mode is a spike, it
// lies on the way. In few dimensions (PathfinderPlan::most_dense) the Hessian is also measured, by differences of
// gradients: at the start, which makes a path independent of scales, and at its end. From a spike normals with
// independent components lead out, if the plan says so (starts/mean_field.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "manychain/chain/program.hpp"
#include "starts/normal_approximation.hpp"

namespace manychain {

struct PathfinderPlan {
  std::size_t max_iterations = 200;    ///< steps of the path
  std::size_t max_evaluations = 1000;  ///< after which no further step is taken
  std::size_t history = 10;            ///< steps that L-BFGS remembers
  std::size_t elbo_draws = 10;         ///< for each estimate of an evidence lower bound
  std::size_t most_dense = 100;        ///< dimensions up to which matrices are dense
  /// Log density for each dimension. A path that began within it of the mode where it ended is not looked back
  /// at for a better approximation. 0: all are.
  double near = 0;
  /// For independent components, where a path does not end at a mode that is nearly normal; 0: none.
  std::size_t mean_field_evaluations = 0;
  std::size_t most_measured = 400;  ///< dimensions in which the Hessian of these is measured
  std::size_t handful = 5;          ///< draws from the approximation for each one that draw_starts() keeps
};

/// End of a path.
enum class PathEnd {
  converged,         ///< at a mode, up to a small part of a standard deviation
  stuck,             ///< the line search went no further: the edge of the support, or rounding
  spike,             ///< the log density rises, but less than the volume around shrinks
  unbounded,         ///< the log density rises as far as the line search went
  iterations,        ///< after max_iterations or max_evaluations
  start_not_finite,  ///< no log density or gradient at the starting point
};

/// Largest Path::elbo_spread of an approximation whose covariance is that of the posterior: beyond, the weights p / q
/// of its draws vary by factors of 20.
inline constexpr double nearly_normal = 3;

struct Path {
  /// True if there is an approximation whose draws have finite log densities, and the log density falls far out along
  /// every direction that looked flat.
  bool found = false;
  NormalApproximation normal;
  std::vector<double> sds;         ///< the marginal standard deviations of `normal`
  double elbo = 0;                 ///< of `normal`, estimated
  double elbo_spread = 0;          ///< standard deviation of log p - log q in its draws: 0 for a normal posterior
  double highest_ratio = 0;        ///< largest log p - log q in its draws
  std::vector<double> best_point;  ///< of the path, with the largest log density
  double best_log_density = 0;
  bool began_near = false;    ///< by PathfinderPlan::near
  bool left_a_spike = false;  ///< by independent components
  std::size_t iterations = 0;
  std::size_t evaluations = 0;  ///< of log density and gradient
  PathEnd end = PathEnd::start_not_finite;
};

/// False of a path that found nothing, or was cut short on its way: its draws then lie nowhere.
inline bool usable(const Path& path) {
  constexpr double no_normal = 100;  // Path::elbo_spread
  return path.found && !(path.end == PathEnd::iterations && path.elbo_spread > no_normal);
}

/// True if the centres of two approximations are within a standard deviation of both, and the widths alike.
bool alike(const Path& a, const Path& b);

/// A point counts as outside of the support if its log density is -inf or NaN, or its gradient is not finite. The
/// result is a function of the arguments. Paths of one seed with different numbers use different random numbers.
/// Several densities are evaluated at once where that is possible: for differences of gradients, and at draws.
Path pathfinder(const DensityEvaluator& density, const std::vector<double>& start, std::uint64_t seed,
                std::uint64_t path_number, const PathfinderPlan& plan = {});

struct DrawnStarts {
  std::vector<double> points;         ///< [draw][dimension]
  std::vector<double> log_densities;  ///< [draw]
  std::size_t evaluations = 0;
};

/// Draws from the approximation that a path has found. Of a handful of draws one is kept, with probability proportional
/// to p / q: nearly equal for all if the approximation is good, and small for draws far below the posterior. If no draw
/// of ten handfuls is in the support, takes the best point of the path.
DrawnStarts draw_starts(const DensityEvaluator& density, const Path& path, std::size_t count, std::uint64_t seed,
                        std::uint64_t path_number, const PathfinderPlan& plan = {});

/// Draws from the approximation, less its mean: [draw][dimension].
std::vector<double> draw_deviations(const Path& path, std::size_t count, std::uint64_t seed, std::uint64_t path_number);

}  // namespace manychain
