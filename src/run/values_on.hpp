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

/// Evaluates by the program of the settings, which name its sampler, its precision (single or double) and its backend
/// (cpu or cuda): chains stand at the points ([point][dimension]). Throws as an engine does: BadInput if the model was
/// not compiled for these, DeviceError.
ValuesOn values_on(const Model& model, const Settings& settings, const std::vector<double>& points, std::size_t count);
/// Likewise, on the CUDA device of the settings.
ValuesOn cuda_values_on(const Model& model, const Settings& settings, const std::vector<double>& points,
                        std::size_t count);

}  // namespace manychain
