// Log densities and gradients by a compiled program: in the precision and on the backend of a run.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"

namespace manychain {

/// Values at some points.
struct ValuesOn {
  std::vector<double> positions;  ///< [point][dimension], rounded to the precision
  std::vector<double>
      log_densities;  ///< [point], as a sampler compares them: sum and compensation together; NaN: not finite
  std::vector<double> gradients;  ///< [point][dimension]; empty if chains of the sampler carry none
};

/// Evaluates by chains at the points ([point][dimension]), with the sampler, the precision (single or double) and the
/// backend (cpu or cuda) of the settings. Throws as the engine does: BadInput if the model was not compiled for these,
/// OutOfMemory, DeviceError.
ValuesOn values_on(const Model& model, const Settings& settings, const std::vector<double>& points, std::size_t count);

/// `count` points, uniform within the radius, with a finite log density and gradient in double if 100 tries find one. A
/// function of the seed: point k does not depend on `count`.
std::vector<double> uniform_points(const Model& model, std::size_t count, double radius, std::uint64_t seed);

}  // namespace manychain
