// The calls that a program has made of the CUDA runtime: where time cannot be measured, they can be counted.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ptx {

/// Calls since the program began. A test takes the difference of two.
struct Counts {
  std::size_t allocations = 0;
  std::size_t allocated_bytes = 0;
  std::size_t releases = 0;
  std::size_t copies_to_host = 0;  ///< for which the host waits
  std::size_t copies_beside = 0;   ///< on streams of their own, once they are done
  std::size_t bytes_to_host = 0;
  std::size_t copies_to_device = 0;
  std::size_t copies_on_device = 0;
  std::size_t waits = 0;  ///< explicit ones; a copy to the host waits, too
  std::size_t launches = 0;
  std::size_t pinned_bytes = 0;  ///< that there are, not calls

  Counts operator-(const Counts& before) const {
    return {allocations - before.allocations,
            allocated_bytes - before.allocated_bytes,
            releases - before.releases,
            copies_to_host - before.copies_to_host,
            copies_beside - before.copies_beside,
            bytes_to_host - before.bytes_to_host,
            copies_to_device - before.copies_to_device,
            copies_on_device - before.copies_on_device,
            waits - before.waits,
            launches - before.launches,
            pinned_bytes - before.pinned_bytes};
  }
};

const Counts& counts();

/// So many bytes of the host can be pinned from now on; or as many as there are.
void limit_pinned_memory(std::size_t bytes = static_cast<std::size_t>(-1));

/// A kernel is loaded when a program asks for its attributes or launches it, whichever comes first, and stays so.
void unload_kernels();
/// Mangled names of those that a launch has loaded, at a time when the memory of the device may be spoken for.
const std::vector<std::string>& kernels_loaded_by_launches();
/// Kernels whose mangled names have all of `parts` take so many bytes of local memory a thread from now on; others
/// none.
void take_local_memory(std::size_t bytes = 0, std::vector<std::string> parts = {});

}  // namespace ptx
