// The random points at which a model is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "manychain/run/model.hpp"

namespace manychain {

/// A point, with the log density and the gradient of the model there.
struct CheckPoint {
  std::vector<double> q, gradient;  ///< zeros if the model has no gradient
  double log_density = 0;
};

/// Points uniform(-2, 2) on the unconstrained scale; whole numbers are uniform in their range.
std::vector<CheckPoint> check_points(const Model& model, std::size_t count, std::uint64_t seed);

}  // namespace manychain
