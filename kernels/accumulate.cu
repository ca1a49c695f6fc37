#include "diagnostics/accumulate_on_device.hpp"

#include <algorithm>

#include "manychain/kernels/cuda_memory.cuh"

namespace manychain {
namespace {

constexpr int threads = 256;
constexpr int most_rows = 1024;  // of a grid; further outputs are those of the same threads

/// One thread per output of a chain: neighbours read neighbouring chains.
template <class Number>
__global__ void __launch_bounds__(threads)
    accumulate_kernel(const diagnostics::StreamingArrays<Number> arrays, diagnostics::HeldDraws<Number> held) {
  using R = Scalar<Number>;
  const std::int64_t chain = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (chain >= arrays.chains) return;
  held.draws += chain;
  held.energy += chain;
  for (int output = static_cast<int>(blockIdx.y); output < arrays.outputs; output += static_cast<int>(gridDim.y)) {
    auto* counts = reinterpret_cast<unsigned long long*>(arrays.histogram) +
                   static_cast<std::int64_t>(output) * diagnostics::bin_count;
    diagnostics::streaming::accumulate_output<R>(arrays, held, output, chain, [&](R bin) {
      if (bin.v >= Number(0)) atomicAdd(counts + static_cast<int>(bin.v), 1ull);
    });
  }
  if (blockIdx.y == 0) diagnostics::streaming::accumulate_energy<R>(arrays, held, chain);
}

}  // namespace

template <class Number>
void accumulate_on_device(const diagnostics::StreamingArrays<Number>& arrays,
                          const diagnostics::HeldDraws<Number>& held) {
  const auto blocks = static_cast<unsigned>((arrays.chains + threads - 1) / threads);
  const auto rows = static_cast<unsigned>(std::min(arrays.outputs, most_rows));
  accumulate_kernel<<<dim3(blocks, rows), threads>>>(arrays, held);
  cuda_check(cudaGetLastError(), "starting the kernel that accumulates draws");
}

template void accumulate_on_device(const diagnostics::StreamingArrays<float>&, const diagnostics::HeldDraws<float>&);
template void accumulate_on_device(const diagnostics::StreamingArrays<double>&, const diagnostics::HeldDraws<double>&);

}  // namespace manychain
