// Draws of one quantity put together, on a CUDA device.
#pragma once

#include <cstdint>

namespace manychain {

/// Rows of chains, one for each draw and output, as they lie in the memory of an engine.
template <class Number>
struct RowsOnDevice {
  const Number* begin;
  std::int64_t stride;  // from a row to the next
  std::int64_t chains, draws, outputs;
};

/// Copies the outputs from `first` on, `size` of them, to [chain][draw][output]. Starts a kernel on the default stream;
/// does not wait.
template <class Number>
void arrange_on_device(const RowsOnDevice<Number>& from, std::int64_t first, std::int64_t size, Number* to);

}  // namespace manychain
