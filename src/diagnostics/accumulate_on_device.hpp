// Accumulating held draws into streaming diagnostics, on a CUDA device.
#pragma once

#include "diagnostics/streaming.hpp"

namespace manychain {

/// Starts the kernel that accumulates the held draws of all chains, on the default stream; does not wait.
template <class Number>
void accumulate_on_device(const diagnostics::StreamingArrays<Number>& arrays,
                          const diagnostics::HeldDraws<Number>& held);

}  // namespace manychain
