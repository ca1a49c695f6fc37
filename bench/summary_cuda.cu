// The summary of draws that lie on the device.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "manychain/core/error.hpp"
#include "summary.hpp"

namespace manychain::bench {
namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw SamplingFailed(std::string("the summary's draws: ") + cudaGetErrorString(status));
}

std::size_t free_memory() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return free;
}

template <class Number>
struct DeviceCopy {
  Number* data = nullptr;

  DeviceCopy(const Number* from, std::size_t count) {
    check(cudaMalloc(&data, count * sizeof(Number)));
    check(cudaMemcpy(data, from, count * sizeof(Number), cudaMemcpyHostToDevice));
  }
  DeviceCopy(const DeviceCopy&) = delete;
  DeviceCopy& operator=(const DeviceCopy&) = delete;
  ~DeviceCopy() { cudaFree(data); }
};

template <class Number>
SummaryCost measure(DrawsView<Number> draws, std::size_t count) {
  using Clock = std::chrono::steady_clock;
  const DeviceCopy<Number> copy(draws.data, count);
  draws.data = copy.data;
  summarise_on_device(draws, summary_superchains);  // loads the kernels
  std::vector<double> seconds;
  for (int k = 0; k < 3; ++k) {
    const Clock::time_point start = Clock::now();
    summarise_on_device(draws, summary_superchains);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  // Apart from the clock: what is free, looked at all the time.
  const std::size_t before = free_memory();
  std::size_t least = before;
  run_beside([&] { summarise_on_device(draws, summary_superchains); }, [&] { least = std::min(least, free_memory()); });
  return {median(seconds), static_cast<double>(before - least)};
}

}  // namespace

SummaryCost summary_on_device(const DrawsView<float>& host_draws, std::size_t count) {
  return measure(host_draws, count);
}
SummaryCost summary_on_device(const DrawsView<double>& host_draws, std::size_t count) {
  return measure(host_draws, count);
}

}  // namespace manychain::bench
