// Summaries of draws that lie in the memory of a CUDA device, computed there.
#include <thrust/device_vector.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

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
std::vector<VariableSummary> summarise_with(const DrawsView<Number>& draws, std::size_t superchains) {
  diagnostics::RankStatisticsOf<DeviceBackend, Number, Index> statistics(draws);
  std::vector<VariableSummary> summaries(draws.variables);
  for (std::size_t v = 0; v < draws.variables; ++v) summaries[v] = statistics(v, superchains);
  return summaries;
}

template <class Number>
std::vector<VariableSummary> summarise_there(const DrawsView<Number>& draws, std::size_t superchains) {
  using Small = diagnostics::RankStatisticsOf<DeviceBackend, Number, std::uint32_t>;
  try {
    return Small::fits(draws) ? summarise_with<std::uint32_t>(draws, superchains)
                              : summarise_with<std::uint64_t>(draws, superchains);
  } catch (const std::bad_alloc&) {
    throw DeviceError(DeviceProblem::out_of_memory,
                      "the CUDA device has too little memory left for the diagnostics: keep fewer draws (--draws)");
  } catch (const thrust::system_error& e) {
    if (e.code().category() == thrust::cuda_category())
      throw cuda_error(static_cast<cudaError_t>(e.code().value()), "computing the diagnostics");
    throw SamplingFailed(std::string("the diagnostics failed on the CUDA device: ") + e.what());
  }
}

}  // namespace

std::vector<VariableSummary> summarise_on_device(const DrawsView<float>& device_draws, std::size_t superchains) {
  return summarise_there(device_draws, superchains);
}
std::vector<VariableSummary> summarise_on_device(const DrawsView<double>& device_draws, std::size_t superchains) {
  return summarise_there(device_draws, superchains);
}

}  // namespace manychain
