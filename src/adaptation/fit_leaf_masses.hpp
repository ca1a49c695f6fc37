// Masses that depend on position, from where the chains of a group stand and the gradients there.
#pragma once

#include <vector>

#include "manychain/model/data/layout.hpp"
#include "manychain/samplers/metric.hpp"

namespace manychain {

/// Puts into `metric`, which has no directions, the masses of leaves and the scales of leaves and hypers. `scales`:
/// which depend on which components; `points` and `gradients`: [point][dimension].
///
/// The mass of a leaf, M(w) = exp(c) + exp(a + sum_k b_k w_k) with w_k the hypers, and one more exponential of hypers
/// by data, or of those of densities whose variate it is not (or two by data of different hypers), has the least mean
/// of log M + g^2 / M over the points, g the gradient: exact where it is N(0, M(w)), as that of a normal density with
/// location and scale exp(-a/2 - ...) is. b_k is known where a density
/// tells the slope of its log scale in the hyper: -2 times that, with an error of 0.2, as draws of warm-up show little
/// of a neck. A component that stands in locations alone, with one coefficient, takes it from densities of one hyper.
/// Slopes of densities of others, and of data, are one where they are not known. A damped Gauss-Newton iteration begins
/// there, and else at b = -1. g^2 is cut off at 25 M: chains far off say nothing of the posterior. A hyper has the
/// variance of its gradient as its mass. Components that have a scale of zero are left as they are, and so are those
/// whose hypers hardly vary. `slopes`, if there are any: [leaf][hyper] where the iteration begins instead, over a
/// standard deviation of the hyper, which may vary as little as it likes. The criterion, and gradients that are cut
/// off, are those of Kailas, Vihola and Wallin 2026, arXiv:2604.09832; the fit to the points of all chains is ours.
void fit_leaf_masses(const std::vector<DependentScale>& scales, const std::vector<double>& points,
                     const std::vector<double>& gradients, Metric& metric,
                     const std::vector<std::vector<double>>& slopes = {});

/// The largest variance of a hyper that is no leaf in units of its mass: 1 or more. Its square root is what the hyper
/// has to travel. That of a leaf is one where the hypers are, whatever it is over all of them.
double widest_of_hypers(const Metric& metric, const std::vector<double>& points);

/// The ratio of the narrowest leaf's width at the median point to its 1 % quantile: large where there is a neck, 1 if
/// no mass depends on position. Widths are in units of `scale`, that of a constant metric.
double narrowing(const Metric& metric, const std::vector<double>& scale, const std::vector<double>& points);

}  // namespace manychain
