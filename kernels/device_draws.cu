#include <algorithm>

#include "diagnostics/arrange_on_device.hpp"
#include "manychain/kernels/cuda_memory.cuh"

namespace manychain {
namespace {

constexpr int threads = 256;
constexpr std::int64_t most_rows = 1024;  // of a grid; further rows are those of the same threads

/// One thread per row of a chain: neighbours read neighbouring chains.
template <class Number>
__global__ void __launch_bounds__(threads)
    arrange_kernel(const RowsOnDevice<Number> from, std::int64_t first, std::int64_t size, Number* to) {
  const std::int64_t chain = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (chain >= from.chains) return;
  const std::int64_t rows = from.draws * size;
  for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
    const std::int64_t draw = row / size, output = first + row % size;
    to[chain * rows + row] = from.begin[(draw * from.outputs + output) * from.stride + chain];
  }
}

}  // namespace

template <class Number>
void arrange_on_device(const RowsOnDevice<Number>& from, std::int64_t first, std::int64_t size, Number* to) {
  if (from.draws * size == 0) return;
  const auto blocks = static_cast<unsigned>((from.chains + threads - 1) / threads);
  const auto rows = static_cast<unsigned>(std::min(from.draws * size, most_rows));
  arrange_kernel<<<dim3(blocks, rows), threads>>>(from, first, size, to);
  cuda_check(cudaGetLastError(), "starting the kernel that arranges draws");
}

template void arrange_on_device(const RowsOnDevice<float>&, std::int64_t, std::int64_t, float*);
template void arrange_on_device(const RowsOnDevice<double>&, std::int64_t, std::int64_t, double*);

}  // namespace manychain
