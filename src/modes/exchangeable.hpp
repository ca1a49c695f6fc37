// Labels that may be exchanged: parameters whose elements may be put in another order, all of these together, without a
// change of the density, as those of the components of a mixture.
#pragma once

#include <string>
#include <vector>

#include "manychain/run/model.hpp"

namespace manychain {

/// For each set of such parameters its names, "mu, sigma, w". `points`: [point][dimension] where the posterior is, of
/// which up to three are looked at. A set counts if no exchange of two neighbours changes the density at any of them,
/// and if the density falls between a point and one that has two elements exchanged: else there is one mode, as that of
/// independent effects. Vectors, with bounds or without, simplexes, and rows and columns of matrices are seen, and rows
/// that are simplexes where there are not as many as columns; those of one size together; of more than five only all
/// together, and each alone. Parameters of other constraints, and orders of more than 64 elements, are not.
struct ExchangeableLabels {
  std::vector<std::string> sets;
  std::size_t evaluations = 0;         ///< of the density
  std::vector<std::string> orderable;  ///< as ModesLook::orderable
};
ExchangeableLabels exchangeable_labels(const Model& model, const std::vector<double>& points);

}  // namespace manychain
