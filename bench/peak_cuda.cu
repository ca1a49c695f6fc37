// The peaks of a CUDA device.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "manychain/core/error.hpp"
#include "peak.hpp"
#include "under_load.hpp"

namespace manychain::bench {
namespace {

constexpr int independent = 8, rounds = 1 << 12, threads_per_block = 256;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw SamplingFailed(std::string("measuring the device: ") + cudaGetErrorString(status));
}

__device__ float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ double fused(double a, double b, double c) { return __fma_rn(a, b, c); }

template <class Number>
__global__ void multiply_add_kernel(Number a, Number b, Number* out) {
  Number x[independent];
#pragma unroll
  for (int i = 0; i < independent; ++i) x[i] = Number(threadIdx.x + i);
#pragma unroll 4
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < independent; ++i) x[i] = fused(x[i], a, b);
  }
  Number sum = 0;
#pragma unroll
  for (int i = 0; i < independent; ++i) sum += x[i];
  if (sum == Number(-1)) *out = sum;  // never; but the compiler cannot know
}

__global__ void copy_kernel(const float4* from, float4* to, std::size_t count) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) to[i] = from[i];
}

/// The shortest of some launches, in seconds, once the device runs at its full clock.
template <class Launch>
double fastest(Launch launch) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  const double seconds = shortest_under_load([&] {
    float milliseconds = 0;
    check(cudaEventRecord(begin));
    launch();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaGetLastError());
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds * 1e-3;
  });
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return seconds;
}

template <class Number>
double multiply_adds(int blocks) {
  Number* out = nullptr;
  check(cudaMalloc(&out, sizeof(Number)));
  const double seconds =
      fastest([&] { multiply_add_kernel<<<blocks, threads_per_block>>>(Number(0.999), Number(0.001), out); });
  cudaFree(out);
  return double(blocks) * threads_per_block * rounds * independent / seconds;
}

double copy_bytes(int blocks) {
  constexpr std::size_t count = std::size_t{1} << 25;  // 512 MiB each
  float4 *from = nullptr, *to = nullptr;
  check(cudaMalloc(&from, count * sizeof(float4)));
  check(cudaMalloc(&to, count * sizeof(float4)));
  check(cudaMemset(from, 0, count * sizeof(float4)));
  const double seconds = fastest([&] { copy_kernel<<<blocks, threads_per_block>>>(from, to, count); });
  cudaFree(from);
  cudaFree(to);
  return 2.0 * count * sizeof(float4) / seconds;
}

}  // namespace

Peak cuda_peak(Precision precision) {
  int device = 0, processors = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  const int blocks = processors * 32;
  const bool single = precision == Precision::single_precision;
  return {single ? multiply_adds<float>(blocks) : multiply_adds<double>(blocks), copy_bytes(blocks)};
}

std::string cuda_driver() {
  int version = 0;
  check(cudaDriverGetVersion(&version));
  return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace manychain::bench
