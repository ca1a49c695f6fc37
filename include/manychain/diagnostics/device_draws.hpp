// Draws in the memory of a CUDA device.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace manychain {

/// Draws of one device, in the precision of the run: the memory of a quantity lives as long as somebody holds it, and
/// may be written to.
struct DeviceDraws {
  int device = 0;
  std::size_t chains = 0, draws = 0;
  std::size_t bytes = 0;  ///< of a number: 4, float, or 8, double
  /// One for each quantity of the layout: [chain][draw][element], nothing between them.
  std::vector<std::shared_ptr<void>> quantities;
};

}  // namespace manychain
