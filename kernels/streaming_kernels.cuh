// Kernels of streaming diagnostics: one thread folds the held draws of one output of one chain.
#pragma once

#include "diagnostics/streaming.hpp"

namespace manychain {
namespace {

inline constexpr int fold_threads = 256;

template <class Number>
__global__ void __launch_bounds__(fold_threads)
    fold_kernel(const diagnostics::StreamingArrays<Number> arrays, diagnostics::HeldDraws<Number> held, bool merge) {
  using R = Scalar<Number>;
  const std::int64_t chain = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (chain >= arrays.chains) return;
  held.draws += chain;
  held.energy += chain;
  for (int output = static_cast<int>(blockIdx.y); output < arrays.outputs; output += static_cast<int>(gridDim.y)) {
    if (merge) diagnostics::streaming::merge_segments<R>(arrays, output, chain);
    diagnostics::streaming::fold_output<R>(arrays, held, output, chain, [&](R bin) {
      if (bin.v >= Number(0))
        atomicAdd(reinterpret_cast<unsigned long long*>(arrays.histogram) + output * diagnostics::bin_count +
                      static_cast<int>(bin.v),
                  1ull);
    });
  }
  if (blockIdx.y == 0) diagnostics::streaming::fold_energy<R>(arrays, held, chain);
}

}  // namespace
}  // namespace manychain
