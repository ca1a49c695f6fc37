// The chain kernel: the chain program with one chain per thread. What the generated CUDA unit of a model instantiates.
#pragma once

#include <algorithm>

#include "manychain/chain/program_core.hpp"
#include "manychain/chain/program_unit.hpp"
#include "manychain/kernels/cuda_adapter.cuh"
#include "manychain/kernels/cuda_memory.cuh"
#include "manychain/model/variants.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
// Unnamed: a kernel is launched by the unit that instantiates it. With external linkage two libraries that hold the
// same model could launch each other's.
namespace {

inline constexpr int max_threads_per_block = 256;
inline constexpr int min_blocks = 1;  // said aloud, or ptxas spills to fit more blocks on a multiprocessor

/// The working memory of a chain lies like its state: [real][chain], the chain index fastest.
template <class R>
MANYCHAIN_HD Arena<R> strided_workspace(number_of<R>* workspace, std::int64_t stride, std::int64_t chain) {
  return {Strided<R>{reinterpret_cast<R*>(workspace) + chain, static_cast<std::ptrdiff_t>(stride)}, 0};
}

template <class ModelType, class Sampler, bool observes, class Number>
__global__ void __launch_bounds__(max_threads_per_block, min_blocks)
    advance_kernel(const __grid_constant__ ModelType model, const __grid_constant__ ChainArrays<Number> arrays,
                   const __grid_constant__ Block block, std::int64_t first, std::int64_t count, Number* workspace) {
  using R = Scalar<Number>;
  const std::int64_t chain = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (chain < count)
    advance_chains<Sampler, observes, R>(model, arrays, block, first + chain,
                                         strided_workspace<R>(workspace, arrays.stride, first + chain));
}

template <class ModelType, bool gradient, class Number>
__global__ void __launch_bounds__(max_threads_per_block, min_blocks)
    initialise_kernel(const __grid_constant__ ModelType model, const __grid_constant__ ChainArrays<Number> arrays,
                      int tries, std::int64_t first, std::int64_t count, Number* workspace) {
  using R = Scalar<Number>;
  const std::int64_t chain = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (chain < count)
    initialise_chains<gradient, R>(model, arrays, tries, first + chain,
                                   strided_workspace<R>(workspace, arrays.stride, first + chain));
}

/// Launches on the default stream and does not wait. The workspace holds workspace_reals() x arrays.stride Numbers.
template <class ModelType, class Sampler, class Number>
class CudaProgram : public ProgramCore<ModelType, Sampler, Number> {
  static_assert(std::is_trivially_copyable_v<ModelType>,
                "a model is copied to the device byte by byte: hold data in View and Matrix, not in containers");

 public:
  CudaProgram(const Data& data, const Layout& layout) : ProgramCore<ModelType, Sampler, Number>(layout), bound_(data) {}
  int lanes() const override { return 1; }
  std::unique_ptr<AdapterOn<Number>> adapter(const std::string& name, int groups) const override {
    return make_cuda_adapter<typename Sampler::template Tuning<Number>, Number>(
        name, groups, typename adaptations_of<Sampler>::type{});
  }
  std::size_t local_bytes() const override {
    return std::max(cuda_local_bytes(reinterpret_cast<const void*>(&advance_kernel<ModelType, Sampler, false, Number>)),
                    cuda_local_bytes(
                        reinterpret_cast<const void*>(&initialise_kernel<ModelType, keeps_gradient<Sampler>, Number>)));
  }
  void initialise(const ChainArrays<Number>& arrays, int tries, std::int64_t first, std::int64_t count,
                  Number* workspace) const override {
    const int threads = block_size(count);
    initialise_kernel<ModelType, keeps_gradient<Sampler>, Number>
        <<<blocks(count, threads), threads>>>(bound_.model, arrays, tries, first, count, workspace);
    cuda_check(cudaGetLastError(), "starting the kernel of the starting points");
  }
  void advance(const ChainArrays<Number>& arrays, const Block& block, std::int64_t first, std::int64_t count,
               Number* workspace) const override {
    if constexpr (Sampler::info.shows_proposal)
      if (arrays.observed[0]) return launch<true>(arrays, block, first, count, workspace);
    launch<false>(arrays, block, first, count, workspace);
  }

  int threads_per_block = 0;  ///< at most 256; 0: as cuda_block_size() says

 private:
  template <bool observes>
  void launch(const ChainArrays<Number>& arrays, const Block& block, std::int64_t first, std::int64_t count,
              Number* workspace) const {
    const int threads = block_size(count);
    advance_kernel<ModelType, Sampler, observes, Number>
        <<<blocks(count, threads), threads>>>(bound_.model, arrays, block, first, count, workspace);
    cuda_check(cudaGetLastError(), "starting the chain kernel");
  }

  int block_size(std::int64_t chains) const {
    return threads_per_block > 0 ? threads_per_block : cuda_block_size(chains);
  }
  static unsigned blocks(std::int64_t chains, int threads) {
    return static_cast<unsigned>((chains + threads - 1) / threads);
  }
  BoundModel<ModelType, CudaDataMemory> bound_;
};

/// The program of the first variant that fits the data; null if the sampler is none of `names` (of none: of
/// ChosenSamplers).
template <class Number, class Variants, SamplerName... names>
std::unique_ptr<Program<Number>> make_cuda_program(const Data& data, const Layout& layout, const std::string& sampler,
                                                   bool) {
  using Made = std::unique_ptr<Program<Number>>;
  return with_variant<Number>(data, Variants{}, [&]<class M>(std::type_identity<M>) -> Made {
    return with_sampler<Made>(sampler, ChosenSamplers<M, names...>{},
                              [&]<class Sampler>(std::type_identity<Sampler>) -> Made {
                                return std::make_unique<CudaProgram<M, Sampler, Number>>(data, layout);
                              });
  });
}
/// The CUDA unit of the samplers `names`; of none, of ChosenSamplers.
template <class Single, class Double, SamplerName... names>
ProgramUnit cuda_unit() {
  return {make_cuda_program<float, Single, names...>, make_cuda_program<double, Double, names...>};
}

}  // namespace
}  // namespace MANYCHAIN_ISA
}  // namespace manychain
