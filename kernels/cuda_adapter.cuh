// Adaptations on a CUDA device: kernels that do what CpuAdapter does, in the same order. They are not a part of the
// chain kernel, for its registers, and because adaptations would then be compiled with each model.
#pragma once

#include "manychain/adaptation/list.hpp"
#include "manychain/chain/adapter.hpp"
#include "manychain/kernels/cuda_memory.cuh"

namespace manychain {
inline namespace MANYCHAIN_ISA {  // as the chain kernel: nvcc takes two unnamed namespaces of one unit for one
namespace {

/// True if this block is the last of `blocks` to come here, which then sees what all of them wrote before. The ticket
/// is zero before the first and after the last.
__device__ __forceinline__ bool last_to_come(std::uint32_t* ticket, std::int64_t blocks) {
  __syncthreads();  // what any thread has read and written lies before its block's ticket
  if (blocks == 1) return true;
  bool last = false;
  if (threadIdx.x == 0) {
    __threadfence();
    const auto before_last = static_cast<std::uint32_t>(blocks - 1);
    last = atomicInc(ticket, before_last) == before_last;
    __threadfence();
  }
  return __syncthreads_or(last);  // a flag in shared memory would be too much beside the largest statistics
}

/// By one thread: the order of the sum is a part of the draws.
template <class Statistic>
__device__ __forceinline__ void merge_tile(Statistic& sum, const Statistic* tile, int count) {
  if (threadIdx.x > 0) return;
  for (int k = 0; k < count; ++k) sum.merge(tile[k]);
}

/// The record and the tuning of a group, then the steps of its components. By all threads of a block.
template <class A, class Tuning, class Number>
__device__ __forceinline__ void update_group(const AdapterLook<A, Tuning, Number>& look, std::int64_t g) {
  const AdapterArrays<Number>& arrays = look.arrays;
  Tuning& tuning = static_cast<Tuning*>(arrays.tuning)[g];
  if (threadIdx.x == 0) {
    A record = look.record(g);
    record.update(look.group(g), tuning);
    static_cast<A*>(arrays.records)[g] = record;
  }
  __syncthreads();
  const Number step_size = tuning.step_size;
  for (int i = static_cast<int>(threadIdx.x); i < arrays.dimension; i += static_cast<int>(blockDim.x))
    arrays.step[g * arrays.dimension + i] = step_size * arrays.scale[g * arrays.dimension + i];
}

/// A pass over the chains: one block per partial, one thread per chain. The last block of an item merges the partials
/// of the item in order; in the last pass the block that merges the last item of a group updates the group. Which
/// blocks these are changes no bit. Tickets are one per item, so that items merge side by side however many there are.
/// Each pass is compiled for itself: the first one, of many items in ChEES and SNAPER, needs few registers.
template <class A, int pass, class Tuning, class Number>
__global__ void __launch_bounds__(chains_per_partial)
    pass_kernel(const __grid_constant__ AdapterArrays<Number> arrays, std::int64_t first) {
  using Statistic = typename A::Statistic;
  __shared__ Statistic tile[chains_per_partial];
  const AdapterLook<A, Tuning, Number> look{arrays, pass};
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t items = A::items(pass, arrays.dimension), partials = arrays.partials_per_item();
  const std::int64_t task = first + blockIdx.x, k = task % partials, row = task / partials;  // [group][item]
  const std::int64_t item = row % items, g = row / items;

  const std::int64_t begin = look.first_chain(g, k);
  const int chains = static_cast<int>(look.end_chain(g, k) - begin);
  if (thread < chains) tile[thread] = look.observe(g, static_cast<int>(item), begin + thread);
  __syncthreads();
  Statistic partial{};
  merge_tile(partial, tile, chains);
  Statistic* const of_item = static_cast<Statistic*>(arrays.partials) + row * partials;
  if (thread == 0) of_item[k] = partial;
  if (!last_to_come(arrays.tickets + row, partials)) return;

  Statistic sum{};
  for (std::int64_t base = 0; base < partials; base += chains_per_partial) {
    const int here = static_cast<int>(partials - base < chains_per_partial ? partials - base : chains_per_partial);
    if (thread < here) tile[thread] = of_item[base + thread];
    __syncthreads();
    merge_tile(sum, tile, here);
    __syncthreads();
  }
  if (thread == 0) static_cast<Statistic*>(arrays.pooled[pass])[row] = sum;
  if constexpr (pass == A::passes - 1)
    if (last_to_come(arrays.tickets + arrays.groups * items + g, items)) update_group(look, g);
}

/// Launches on the default stream and does not wait. Loads its kernels when it is made: before the engine asks how much
/// memory is free.
template <Adaptation A, class Tuning, class Number>
class CudaAdapter final : public AdapterCore<A, Number> {
 public:
  explicit CudaAdapter(int groups) : AdapterCore<A, Number>(groups) {
    for (int pass = 0; pass < A::passes; ++pass) cuda_local_bytes(reinterpret_cast<const void*>(kernel_of(pass)));
  }
  void pool(const AdapterArrays<Number>& arrays, int pass, std::int64_t first, std::int64_t count) const override {
    kernel_of(pass)<<<static_cast<unsigned>(count), chains_per_partial>>>(arrays, first);
    cuda_check(cudaGetLastError(), "starting the kernel that adapts");
  }
  void finish(const AdapterArrays<Number>&, int) const override {}  // pool() has

 private:
  static auto kernel_of(int pass) {
    return pass == 0 ? pass_kernel<A, 0, Tuning, Number> : pass_kernel<A, A::passes - 1, Tuning, Number>;
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
