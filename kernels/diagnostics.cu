// Summaries of draws that lie in the memory of a CUDA device, computed there.
#include <thrust/device_vector.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include "diagnostics/rank_statistics.hpp"
#include "manychain/core/error.hpp"
#include "manychain/diagnostics/summary.hpp"
#include "manychain/kernels/cuda_error.cuh"

namespace manychain {
namespace {

// In an unnamed namespace: every kernel that is made of this type belongs to this unit alone.
struct DeviceBackend {
  template <class T>
  using Vector = thrust::device_vector<T>;
  static constexpr int lanes = 1;
  static constexpr bool tiled = false;
  static constexpr std::size_t merged = 16;
  static constexpr bool spectral = false;

  static auto policy() { return thrust::cuda::par; }
};

template <class Index, class Number>
std::vector<VariableSummary> summarise_with(const DrawsView<Number>& draws, std::size_t superchains,
                                            const std::atomic<bool>* cancel) {
  diagnostics::RankStatisticsOf<DeviceBackend, Number, Index> statistics(draws, diagnostics::Parts::halves, cancel);
  std::vector<VariableSummary> summaries;
  for (std::size_t v = 0; v < draws.variables; ++v) {
    const VariableSummary summary = statistics(v, superchains);
    if (diagnostics::cancelled(cancel)) break;  // it may have ended half way
    summaries.push_back(summary);
  }
  return summaries;
}

template <class Number>
std::vector<VariableSummary> summarise_there(const DrawsView<Number>& draws, std::size_t superchains,
                                             const std::atomic<bool>* cancel) {
  using Small = diagnostics::RankStatisticsOf<DeviceBackend, Number, std::uint32_t>;
  try {
    return Small::fits(draws) ? summarise_with<std::uint32_t>(draws, superchains, cancel)
                              : summarise_with<std::uint64_t>(draws, superchains, cancel);
  } catch (const std::bad_alloc&) {
    throw DeviceError(DeviceProblem::out_of_memory,
                      "the CUDA device has too little memory left for the diagnostics: take fewer Settings::draws");
  } catch (const thrust::system_error& e) {
    if (e.code().category() == thrust::cuda_category())
      throw cuda_error(static_cast<cudaError_t>(e.code().value()), "computing the diagnostics");
    throw SamplingFailed(std::string("the diagnostics failed on the CUDA device: ") + e.what());
  }
}

}  // namespace

std::vector<VariableSummary> summarise_on_device(const DrawsView<float>& device_draws, std::size_t superchains,
                                                 const std::atomic<bool>* cancel) {
  return summarise_there(device_draws, superchains, cancel);
}
std::vector<VariableSummary> summarise_on_device(const DrawsView<double>& device_draws, std::size_t superchains,
                                                 const std::atomic<bool>* cancel) {
  return summarise_there(device_draws, superchains, cancel);
}

}  // namespace manychain
