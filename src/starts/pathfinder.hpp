// Starting points for chains that do not know the scale of the posterior: single-path Pathfinder (Zhang, Carpenter,
// Gelman, Vehtari 2022, Pathfinder: parallel quasi-Newton variational inference, JMLR 23(306)).
//
// A quasi-Newton method climbs from a point to a mode. At each of its points the inverse Hessian that it has learnt
// gives a normal distribution. The best of them, by its evidence lower bound, need not be the last: where the mode is a
// spike it lies on the way. In few dimensions (PathfinderPlan::most_dense) the Hessian is also measured, by differences
// of gradients: at the start, which makes a path independent of scales, and where the path ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "manychain/chain/program.hpp"
#include "starts/normal_approximation.hpp"

namespace manychain {

struct PathfinderPlan {
  std::size_t max_iterations = 200;    ///< steps of the path
  std::size_t max_evaluations = 1000;  ///< after which it takes no other step
  std::size_t history = 10;            ///< steps that L-BFGS remembers
  std::size_t elbo_draws = 10;         ///< of the estimate of an evidence lower bound
  std::size_t most_dense = 100;        ///< dimensions up to which matrices are dense
  std::size_t handful = 5;             ///< draws from the approximation for each one that draw_starts() keeps
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

struct Path {
  /// There is an approximation whose draws have finite log densities, and in no direction that was looked at does the
  /// log density stay what it is for ever.
  bool found = false;
  NormalApproximation normal;
  std::vector<double> sds;         ///< the marginal standard deviations of `normal`
  double elbo = 0;                 ///< of `normal`, estimated
  double elbo_spread = 0;          ///< standard deviation of log p - log q in its draws: 0 for a normal posterior
  std::vector<double> best_point;  ///< of the path, by its log density
  double best_log_density = 0;
  std::size_t iterations = 0;
  std::size_t evaluations = 0;  ///< of log density and gradient
  PathEnd end = PathEnd::start_not_finite;
};

/// A log density of -inf or NaN, or a gradient that is not finite, says that a point is outside of the support.
/// A function of its arguments alone. Paths of one seed with different numbers use different random numbers. It asks
/// for several densities at once where it can: for differences of gradients, and at draws.
Path pathfinder(const DensityEvaluator& density, const std::vector<double>& start, std::uint64_t seed,
                std::uint64_t path_number, const PathfinderPlan& plan = {});

struct DrawnStarts {
  std::vector<double> points;         ///< [draw][dimension]
  std::vector<double> log_densities;  ///< [draw]
  std::size_t evaluations = 0;
};

/// Points drawn from the approximation that a path has found. Of a handful of draws one is kept, with probability in
/// proportion to p / q: all of them count alike where the approximation is good, and what lies far below the posterior
/// is not kept. Where no draw of ten handfuls is in the support, it is the best point of the path.
DrawnStarts draw_starts(const DensityEvaluator& density, const Path& path, std::size_t count, std::uint64_t seed,
                        std::uint64_t path_number, const PathfinderPlan& plan = {});

/// Draws from the approximation itself, less its mean: [draw][dimension].
std::vector<double> draw_deviations(const Path& path, std::size_t count, std::uint64_t seed, std::uint64_t path_number);

}  // namespace manychain
