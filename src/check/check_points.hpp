// The random points at which a model is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "manychain/run/model.hpp"

namespace manychain {

/// A point, with what the model gives there.
struct CheckPoint {
  std::vector<double> q, gradient;  ///< no gradient: zeros
  double log_density = 0;
};

/// Uniform(-2, 2) on the unconstrained scale; whole numbers uniform in their range.
std::vector<CheckPoint> check_points(const Model& model, std::size_t count, std::uint64_t seed);

}  // namespace manychain
