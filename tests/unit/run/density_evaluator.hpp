// A density that takes one point at a time, as one that takes several.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "manychain/chain/program.hpp"

namespace manychain {

/// The log density at q, and its gradient, which is never null.
using DensityAndGradient = std::function<double(const double* q, double* gradient)>;

inline DensityEvaluator point_by_point(DensityAndGradient density, std::size_t dimension) {
  return [density = std::move(density), dimension](const double* points, std::size_t count, double* log_densities,
                                                   double* gradients) {
    std::vector<double> unused(gradients ? 0 : dimension);
    for (std::size_t k = 0; k < count; ++k)
      log_densities[k] = density(points + k * dimension, gradients ? gradients + k * dimension : unused.data());
  };
}

}  // namespace manychain
