// Adaptations on a CUDA device: kernels that do what CpuAdapter does, in the same order.
#pragma once

#include "manychain/adaptation/list.hpp"
#include "manychain/chain/adapter.hpp"
#include "manychain/kernels/cuda_memory.cuh"

namespace manychain {
inline namespace MANYCHAIN_ISA {  // as the chain kernel: nvcc takes two unnamed namespaces of one unit for one
namespace {

/// One block per partial, one thread per chain; the first one merges.
template <class A, class Tuning, class Number>
__global__ void __launch_bounds__(chains_per_partial)
    pool_kernel(const __grid_constant__ AdapterArrays<Number> arrays, int pass, std::int64_t first) {
  using Statistic = typename A::Statistic;
  __shared__ Statistic of_chain[chains_per_partial];
  const AdapterLook<A, Tuning, Number> look{arrays, pass};
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t task = first + blockIdx.x;
  const std::int64_t items = A::items(pass, arrays.dimension), partials = arrays.partials_per_item();
  const std::int64_t k = task % partials, item = task / partials % items, g = task / partials / items;
  const std::int64_t begin = look.first_chain(g, k);
  const int here = static_cast<int>(look.end_chain(g, k) - begin);
  if (thread < here) of_chain[thread] = look.observe(g, static_cast<int>(item), begin + thread);
  __syncthreads();
  if (thread > 0) return;
  Statistic sum{};
  for (int c = 0; c < here; ++c) sum.merge(of_chain[c]);
  static_cast<Statistic*>(arrays.partials)[task] = sum;
}

/// One block an item of a group: merges its partials in order.
template <class A, class Number>
__global__ void __launch_bounds__(chains_per_partial)
    merge_kernel(const __grid_constant__ AdapterArrays<Number> arrays, int pass) {
  using Statistic = typename A::Statistic;
  __shared__ Statistic tile[chains_per_partial];
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t partials = arrays.partials_per_item();
  const Statistic* const of_item = static_cast<const Statistic*>(arrays.partials) + blockIdx.x * partials;
  Statistic sum{};
  for (std::int64_t base = 0; base < partials; base += chains_per_partial) {
    const int here = static_cast<int>(partials - base < chains_per_partial ? partials - base : chains_per_partial);
    if (thread < here) tile[thread] = of_item[base + thread];
    __syncthreads();
    if (thread == 0)
      for (int k = 0; k < here; ++k) sum.merge(tile[k]);
    __syncthreads();
  }
  if (thread == 0) static_cast<Statistic*>(arrays.pooled[pass])[blockIdx.x] = sum;
}

/// One block per group: its record and its tuning, then the steps of its components.
template <class A, class Tuning, class Number>
__global__ void __launch_bounds__(chains_per_partial)
    update_kernel(const __grid_constant__ AdapterArrays<Number> arrays) {
  const std::int64_t g = blockIdx.x;
  Tuning& tuning = static_cast<Tuning*>(arrays.tuning)[g];
  if (threadIdx.x == 0) {
    const AdapterLook<A, Tuning, Number> look{arrays, A::passes - 1};
    A record = look.record(g);
    record.update(look.group(g), tuning);
    static_cast<A*>(arrays.records)[g] = record;
  }
  __syncthreads();
  const Number step_size = tuning.step_size;
  for (int i = static_cast<int>(threadIdx.x); i < arrays.dimension; i += static_cast<int>(blockDim.x))
    arrays.step[g * arrays.dimension + i] = step_size * arrays.scale[g * arrays.dimension + i];
}

/// Launches on the default stream and does not wait.
template <Adaptation A, class Tuning, class Number>
class CudaAdapter final : public AdapterCore<A, Number> {
 public:
  using AdapterCore<A, Number>::AdapterCore;
  void pool(const AdapterArrays<Number>& arrays, int pass, std::int64_t first, std::int64_t count) const override {
    pool_kernel<A, Tuning, Number><<<static_cast<unsigned>(count), chains_per_partial>>>(arrays, pass, first);
    cuda_check(cudaGetLastError(), "starting the kernel that looks at the chains");
  }
  void finish(const AdapterArrays<Number>& arrays, int pass) const override {
    const unsigned items = static_cast<unsigned>(arrays.groups * A::items(pass, arrays.dimension));
    merge_kernel<A, Number><<<items, chains_per_partial>>>(arrays, pass);
    if (pass == A::passes - 1)
      update_kernel<A, Tuning, Number><<<static_cast<unsigned>(arrays.groups), chains_per_partial>>>(arrays);
    cuda_check(cudaGetLastError(), "starting the kernels that adapt");
  }
};

}  // namespace
}  // namespace MANYCHAIN_ISA

/// As make_cpu_adapter().
template <class Tuning, class Number, class... A>
std::unique_ptr<AdapterOn<Number>> make_cuda_adapter(const std::string& name, int groups, AdaptationList<A...>) {
  std::unique_ptr<AdapterOn<Number>> made;
  const auto consider = [&]<class One>(std::type_identity<One>) {
    if constexpr (adapts<One, Tuning>)
      if (name == One::info.name) made = std::make_unique<CudaAdapter<One, Tuning, Number>>(groups);
  };
  (consider(std::type_identity<A>{}), ...);
  return made;
}
extern template std::unique_ptr<AdapterOn<float>> make_cuda_adapter<StepTuning<float>, float>(const std::string&, int,
                                                                                              AllAdaptations);
extern template std::unique_ptr<AdapterOn<double>> make_cuda_adapter<StepTuning<double>, double>(const std::string&,
                                                                                                 int, AllAdaptations);
extern template std::unique_ptr<AdapterOn<float>> make_cuda_adapter<TrajectoryTuning<float>, float>(const std::string&,
                                                                                                    int,
                                                                                                    AllAdaptations);
extern template std::unique_ptr<AdapterOn<double>> make_cuda_adapter<TrajectoryTuning<double>, double>(
    const std::string&, int, AllAdaptations);

}  // namespace manychain
