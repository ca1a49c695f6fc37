// A metric from where the chains of a group stand.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/samplers/metric.hpp"

namespace manychain {

struct MetricEstimate {
  Metric metric;
  /// The largest eigenvalue of the posterior covariance in the coordinates that the metric makes, as far as it stands
  /// out of the noise of the estimate; 1 or more. The slowest direction takes its square root longer to cross.
  double widest = 1;
};

/// `points`: [point][dimension], of all chains, for their correlations; `scale`: the marginal standard deviations, zero
/// of components that do not count.
///
/// A leapfrog's step follows the narrowest direction and a trajectory's length the widest, so that the leapfrogs of a
/// trajectory go as sqrt(lambda_max / lambda_min) of what the metric leaves. `automatic` takes the k directions
/// furthest from one that make sqrt(lambda_max / lambda_min) (1 + k `direction_cost`) smallest, and none where that is
/// not a fifth better than none. `low_rank` takes those with an eigenvalue outside [1/2, 2], beyond the noise of n
/// points in d dimensions, within which eigenvalues of no correlation lie: (1 -+ sqrt(d / n))^2 (Marchenko and Pastur
/// 1967).
MetricEstimate estimate_metric(MetricKind kind, const std::vector<double>& scale, const std::vector<double>& points,
                               double direction_cost);

/// What a direction of the metric costs beside a leapfrog without any, of a model of that dimension whose gradient
/// reads so many data: four operations a dimension beside the some sixteen of random numbers, kick, drift and a simple
/// density, and four for each number of the data. A count, not a measurement, so that a run depends on no clock.
double direction_cost(std::size_t dimension, std::size_t data_values);

}  // namespace manychain
