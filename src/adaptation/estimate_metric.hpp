// A metric from where the chains of a group stand at a few moments of a window. The eigenproblem is solved on the host,
// in double.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/samplers/metric.hpp"

namespace manychain {

struct MetricEstimate {
  Metric metric;
  /// The variance along the widest direction in the coordinates that the metric makes, found in one half of the points
  /// and measured in the other; 1 or more. The slowest direction takes its square root longer to cross.
  double widest = 1;
};

/// `points`: [point][dimension], of all chains, for their correlations; `scale`: the marginal standard deviations, zero
/// of components that do not count.
///
/// A leapfrog's step follows the narrowest direction and a trajectory's length the widest, so that the leapfrogs of a
/// trajectory go as sqrt(lambda_max / lambda_min) of what the metric leaves. `automatic` takes the k directions
/// furthest from one that make sqrt(lambda_max / lambda_min) (1 + k `direction_cost`) smallest, and none where that is
/// not a fifth better than none; every other point shows the directions, and the rest the variances along them, so that
/// chance makes none. `low_rank` takes those with an eigenvalue outside [1/2, 2], beyond the noise of n
/// points in d dimensions, within which eigenvalues of no correlation lie: (1 -+ sqrt(d / n))^2 (Marchenko and Pastur
/// 1967).
/// `fisher` has no directions, and its `widest` is in units of `scale`, which are not the standard deviations.
MetricEstimate estimate_metric(MetricKind kind, const std::vector<double>& scale, const std::vector<double>& points,
                               double direction_cost);

/// Scales sqrt(sd(x_i) / sd(g_i)) from positions and gradients at the same points, [point][dimension]: of diagonal
/// metrics that of least Fisher divergence from a normal posterior (Seyboldt, Carlson and Carpenter 2026,
/// Preconditioning Hamiltonian Monte Carlo by minimizing Fisher divergence). `scale` where one of the two does not
/// vary.
std::vector<double> fisher_scale(std::vector<double> scale, const std::vector<double>& points,
                                 const std::vector<double>& gradients);

/// The cost of a direction of the metric, in leapfrogs without any, for a model of that dimension whose gradient
/// reads so many data: four operations a dimension beside the some sixteen of random numbers, kick, drift and a simple
/// density, and four for each number of the data. A count, not a measurement, so that a run depends on no clock.
double direction_cost(std::size_t dimension, std::size_t data_values);

/// Distance of two metrics: the largest |log| of a ratio of the variances that they give to one direction. Beyond
/// 100 dimensions of the components' variances alone.
double metric_distance(const Metric& a, const Metric& b);

/// True if chains have forgotten the starting points of their superchains, as far as one position of each can tell:
/// `points` is [chain][dimension], chain c of superchain c mod `superchains`. For each component the F statistic of the
/// superchains' means is below its quantile of 1 - 0.001 / dimension (Wilson and Hilferty 1931), so that chains that
/// have are called so in 999 of 1000 cases. Always false for few chains, with z^2 2 / 9 >= (1 - 2 / (9 n))^2 n of n
/// degrees of freedom within superchains, where that bound does not exist.
bool starts_forgotten(const std::vector<double>& points, std::size_t dimension, std::size_t superchains);

}  // namespace manychain
