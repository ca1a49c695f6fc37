// Log densities and gradients as a compiled program gives them: in the precision and on the backend of a run.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"

namespace manychain {

/// Values on some points.
struct ValuesOn {
  std::vector<double> positions;  ///< [point][dimension], as they were rounded
  std::vector<double>
      log_densities;  ///< [point], as a sampler compares them: sum and compensation together; NaN: not finite
  std::vector<double> gradients;  ///< [point][dimension]; empty of a sampler whose chains carry none
};

/// By chains that stand at the points ([point][dimension]), of the sampler, the precision (single or double) and the
/// backend (cpu or cuda) of the settings. Throws what the engine throws: BadInput where the model was not compiled for
/// that, OutOfMemory, DeviceError.
ValuesOn values_on(const Model& model, const Settings& settings, const std::vector<double>& points, std::size_t count);

/// `count` points, uniform within the initial radius, with a finite log density and gradient in double where such a
/// one was found in 100 tries. A function of the seed: point k is the same whatever `count` is.
std::vector<double> uniform_points(const Model& model, std::size_t count, double radius, std::uint64_t seed);

}  // namespace manychain
