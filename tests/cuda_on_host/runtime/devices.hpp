// The devices of the stand-in, their memory, and turns of the threads that call it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>

namespace ptx {

inline thread_local int current_device = 0;

inline int devices() {
  static const int number = [] {
    const char* const words = std::getenv("CUDA_ON_HOST_DEVICES");
    return words ? std::clamp(std::atoi(words), 1, 16) : 1;
  }();
  return number;
}

/// One call at a time.
class Turn {
 public:
  Turn() { mutex().lock(); }
  ~Turn() { mutex().unlock(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex one;
    return one;
  }
};

/// The blocks of cudaMalloc(), and the device of each.
struct DeviceBlock {
  std::size_t bytes;
  int device;
};
inline std::map<const char*, DeviceBlock> blocks_of_devices;

/// Stops if that lies in the memory of another device than the current one.
inline void require_own(const void* address, const char* what) {
  const auto* const at = static_cast<const char*>(address);
  const auto after = blocks_of_devices.upper_bound(at);
  if (after == blocks_of_devices.begin()) return;
  const auto& [begin, block] = *std::prev(after);
  if (at >= begin + block.bytes || block.device == current_device) return;
  std::fprintf(stderr, "\nCUDA on the host: %s on device %d is given memory of device %d\n", what, current_device,
               block.device);
  std::abort();
}

}  // namespace ptx
