// What a program has asked of the CUDA runtime: where time cannot be measured, this can be.
#pragma once

#include <cstddef>

namespace ptx {

/// Calls since the program began. A test takes the difference of two.
struct Counts {
  std::size_t allocations = 0;
  std::size_t allocated_bytes = 0;
  std::size_t releases = 0;
  std::size_t copies_to_host = 0;
  std::size_t bytes_to_host = 0;
  std::size_t copies_to_device = 0;
  std::size_t copies_on_device = 0;
  std::size_t waits = 0;  ///< explicit ones; a copy to the host waits, too
  std::size_t launches = 0;

  Counts operator-(const Counts& before) const {
    return {allocations - before.allocations,
            allocated_bytes - before.allocated_bytes,
            releases - before.releases,
            copies_to_host - before.copies_to_host,
            bytes_to_host - before.bytes_to_host,
            copies_to_device - before.copies_to_device,
            copies_on_device - before.copies_on_device,
            waits - before.waits,
            launches - before.launches};
  }
};

const Counts& counts();

}  // namespace ptx
