// Draws on the host.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "manychain/core/large_memory.hpp"

namespace manychain {

/// Leaves new numbers as they are in memory: what is written right away need not be zeroed before. Many of them lie in
/// large pages.
template <class Number>
struct NotZeroed : std::allocator<Number> {
  template <class Other>
  struct rebind {
    using other = NotZeroed<Other>;
  };
  Number* allocate(std::size_t count) {
    if (count < large_bytes / sizeof(Number)) return std::allocator<Number>::allocate(count);
    if (count > static_cast<std::size_t>(-1) / sizeof(Number)) throw std::bad_array_new_length();
    return static_cast<Number*>(allocate_large(count * sizeof(Number)));
  }
  void deallocate(Number* at, std::size_t count) {
    if (count < large_bytes / sizeof(Number)) return std::allocator<Number>::deallocate(at, count);
    free_large(at);
  }
  template <class T>
  void construct(T* at) noexcept {
    ::new (static_cast<void*>(at)) T;
  }
};

/// A vector that resize() does not zero.
template <class Number>
using DrawValues = std::vector<Number, NotZeroed<Number>>;

/// Draws on the host: [draw][variable][chain], the chain index fastest, in the precision of the run.
class Draws {
 public:
  std::size_t draws = 0, variables = 0, chains = 0;
  DrawValues<float> float32;   ///< filled in a run in single precision
  DrawValues<double> float64;  ///< filled in a run in double precision

  double operator()(std::size_t draw, std::size_t variable, std::size_t chain) const {
    const std::size_t i = (draw * variables + variable) * chains + chain;
    return float32.empty() ? float64[i] : double(float32[i]);
  }
  bool empty() const { return float32.empty() && float64.empty(); }
};

}  // namespace manychain
