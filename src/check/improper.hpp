// Looks for an integral of the density that is infinite.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "manychain/run/model.hpp"

namespace manychain {

/// Gives the parameters along which the density has no finite integral at any of `points`, [point][dimension] on the
/// unconstrained scale: with all others held, its logarithm falls no faster than that of 1 / distance between the last
/// two of 30 to 1e12 at which it is finite. A density that is as flat as that for 1e12 and falls beyond is of no use
/// either. Where there is none, gives those that it holds for together (mu and theta of theta ~ normal(mu, tau), if mu
/// has no prior), of up to 500 components, and as far as a direction without curvature at one of the points shows it.
/// Names whole parameters where it holds for all their elements. Tells nothing where that takes more than about
/// `most` evaluations; points are evaluated together, as a density of many points at once likes it.
///
/// It sees most mistakes, but not each: where an axis has a finite integral, a curved way may have none. Points must
/// not lie where the density is zero.
std::vector<std::string> improper_parameters(const Model& model, const std::vector<double>& points,
                                             double most = std::numeric_limits<double>::infinity());

}  // namespace manychain
