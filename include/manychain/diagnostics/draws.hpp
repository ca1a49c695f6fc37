// Draws on the host.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace manychain {

/// Leaves new numbers as they are in memory: what is written right away need not be zeroed before.
template <class Number>
struct NotZeroed : std::allocator<Number> {
  template <class Other>
  struct rebind {
    using other = NotZeroed<Other>;
  };
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
