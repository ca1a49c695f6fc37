// The chain kernel: the chain program with a chain for each thread, or for each row of a block, whose threads deal the
// terms of the model (core/chain_threads.hpp). What the generated CUDA unit of a model instantiates.
#pragma once

#include <algorithm>

#include "manychain/chain/program_core.hpp"
#include "manychain/chain/program_unit.hpp"
#include "manychain/kernels/cuda_adapter.cuh"
#include "manychain/kernels/cuda_memory.cuh"
#include "manychain/model/language/variants.hpp"
#include "manychain/samplers/list.hpp"
#include "manychain/samplers/parked_state.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
// Unnamed: a kernel is launched by the unit that instantiates it. With external linkage two libraries that hold the
// same model could launch each other's.
namespace {

inline constexpr std::size_t shared_bytes = 48 << 10;  // that every device gives a block
inline constexpr int min_blocks = 1;                   // said aloud, or ptxas spills to fit more blocks

/// As many threads as a block may have: what ptxas gives a thread is 65536 registers over them, at most 255. Where a
/// trajectory's start is parked, 168 registers do for 25 dimensions, and a multiprocessor holds 12 warps instead of 8.
template <class ModelType, class Sampler, bool observes, class Number>
constexpr int max_threads() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  return 256;  // with 168 registers ptxas spills there (seen on sm_80)
#else
  constexpr bool parks = parked_bytes < ModelType, Number >> 0 && requires { Sampler::parks; };
  return parks && !observes && sizeof(Number) == 4 && model_dimension<ModelType>() <= 25 ? 384 : 256;
#endif
}

/// The working memory of a thread lies like the state of its chain: [real][chain][thread of the chain], the last index
/// fastest.
template <class ModelType, class R>
MANYCHAIN_HD Arena<R> strided_workspace(number_of<R>* workspace, std::int64_t stride, std::int64_t chain) {
  std::int64_t threads = 1, thread = 0;  // constants where a chain has one
  if constexpr (deals_terms<ModelType>) threads = ChainThreads::count(), thread = ChainThreads::index();
  return {Strided<R>{reinterpret_cast<R*>(workspace) + chain * threads + thread,
                     static_cast<std::ptrdiff_t>(stride * threads)},
          0};
}

/// The chain of a thread, counted from the first one that was launched. Its threads are the block's x.
__device__ __forceinline__ std::int64_t chain_of_thread() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
}

template <class ModelType, class Sampler, bool observes, class Number>
__global__ void __launch_bounds__(max_threads<ModelType, Sampler, observes, Number>(), min_blocks)
    advance_kernel(const __grid_constant__ ModelType model, const __grid_constant__ ChainArrays<Number> arrays,
                   const __grid_constant__ Block block, std::int64_t first, std::int64_t count, Number* workspace) {
  using R = Scalar<Number>;
  const std::int64_t chain = chain_of_thread();
  if (chain < count)
    advance_chains<Sampler, observes, R>(model, arrays, block, first + chain,
                                         strided_workspace<ModelType, R>(workspace, arrays.stride, first + chain));
}

template <class ModelType, bool gradient, class Number>
__global__ void __launch_bounds__(256, min_blocks)
    initialise_kernel(const __grid_constant__ ModelType model, const __grid_constant__ ChainArrays<Number> arrays,
                      int tries, std::int64_t first, std::int64_t count, Number* workspace) {
  using R = Scalar<Number>;
  const std::int64_t chain = chain_of_thread();
  if (chain < count)
    initialise_chains<gradient, R>(model, arrays, tries, first + chain,
                                   strided_workspace<ModelType, R>(workspace, arrays.stride, first + chain));
}

/// Launches on the default stream and does not wait. The workspace holds workspace_reals() x arrays.stride Numbers.
template <class ModelType, class Sampler, class Number>
class CudaProgram : public ProgramCore<Sampler, Number> {
  static_assert(std::is_trivially_copyable_v<ModelType>,
                "a model is copied to the device byte by byte: hold data in View and Matrix, not in containers");

 public:
  CudaProgram(const Data& data, const Layout& layout)
      : ProgramCore<Sampler, Number>(
            layout.dimension,
            manychain::workspace_reals<ModelType, Sampler>(layout.dimension, layout.scratch,
                                                           kernels_with_leaves<Sampler> && layout.may_have_leaves()) *
                static_cast<std::size_t>(threads_of(layout)),
            kernels_with_leaves<Sampler>),
        threads_per_chain_(threads_of(layout)),
        bound_(data) {}
  int lanes() const override { return 1; }
  std::unique_ptr<AdapterOn<Number>> adapter(const std::string& name, int groups) const override {
    return make_cuda_adapter<typename Sampler::template Tuning<Number>, Number>(
        name, groups, typename adaptations_of<Sampler>::type{});
  }
  /// Loads every kernel that the engine may launch: what each leaves free is known then. Those that observe belong to
  /// them.
  std::size_t local_bytes() const override {
    std::size_t most =
        cuda_local_bytes(reinterpret_cast<const void*>(&initialise_kernel<ModelType, keeps_gradient<Sampler>, Number>));
    most = std::max(most, local_bytes_of<false>());
    if constexpr (may_observe) most = std::max(most, local_bytes_of<true>());
    return most;
  }
  void initialise(const ChainArrays<Number>& arrays, int tries, std::int64_t first, std::int64_t count,
                  Number* workspace) const override {
    const dim3 threads = block_size(count);
    initialise_kernel<ModelType, keeps_gradient<Sampler>, Number>
        <<<blocks(count, threads), threads>>>(bound_.model, arrays, tries, first, count, workspace);
    cuda_check(cudaGetLastError(), "starting the kernel of the starting points");
  }
  void advance(const ChainArrays<Number>& arrays, const Block& block, std::int64_t first, std::int64_t count,
               Number* workspace) const override {
    if constexpr (may_observe)
      if (arrays.observed[0]) return launch<true>(arrays, block, first, count, workspace);
    launch<false>(arrays, block, first, count, workspace);
  }

  int threads_per_block = 0;  ///< at most 256; 0: as cuda_block_size() says

 private:
  /// Kernels with leaves are compiled for adaptations that look at no proposal.
  static constexpr bool may_observe = Sampler::info.shows_proposal && !kernels_with_leaves<Sampler>;
  template <bool observes>
  static std::size_t local_bytes_of() {
    return cuda_local_bytes(reinterpret_cast<const void*>(&advance_kernel<ModelType, Sampler, observes, Number>));
  }
  template <bool observes>
  void launch(const ChainArrays<Number>& arrays, const Block& block, std::int64_t first, std::int64_t count,
              Number* workspace) const {
    const dim3 threads = block_size(count);
    advance_kernel<ModelType, Sampler, observes, Number>
        <<<blocks(count, threads), threads, threads.y * parked>>>(bound_.model, arrays, block, first, count, workspace);
    cuda_check(cudaGetLastError(), "starting the chain kernel");
  }

  /// Samplers whose transitions evaluate the density have its terms dealt; full conditionals, draws of the model and
  /// minibatches would only be repeated, and so are outputs, of which there may be as many. Replicas lie in memory that
  /// one thread writes.
  static int threads_of(const Layout& layout) {
    constexpr bool by_density = moves_by_density(Sampler::info, gives_conditionals<ModelType>);
    if constexpr (deals_terms<ModelType> && by_density && !Sampler::info.schedule && !Sampler::info.ladder)
      return layout.threads_per_chain();
    else
      return 1;
  }
  dim3 block_size(std::int64_t chains) const {
    int threads = threads_per_block > 0 ? threads_per_block : cuda_block_size(chains * threads_per_chain_);
    if (parked > 0) threads = std::min(threads, 128);  // three blocks of them are the 12 warps of max_threads()
    int rows = threads / threads_per_chain_ > 1 ? threads / threads_per_chain_ : 1;
    while (static_cast<std::size_t>(rows) * parked > shared_bytes) rows /= 2;
    return dim3(static_cast<unsigned>(threads_per_chain_), static_cast<unsigned>(rows));
  }
  static unsigned blocks(std::int64_t chains, dim3 threads) {
    return static_cast<unsigned>((chains + threads.y - 1) / threads.y);
  }
  /// Bytes for each chain of a block, of any sampler that could park: it may be made of others, of which one does.
  static constexpr std::size_t parked = keeps_gradient<Sampler> ? parked_bytes<ModelType, Number> : 0;
  const int threads_per_chain_;
  BoundModel<ModelType, CudaDataMemory> bound_;
};

/// The program of a sampler of the list; null if it is none of them.
template <class ModelType, class Number, class Samplers>
std::unique_ptr<Program<Number>> cuda_program(const Data& data, const Layout& layout, const std::string& sampler) {
  using Made = std::unique_ptr<Program<Number>>;
  return with_sampler<Made>(sampler, Samplers{}, [&]<class Sampler>(std::type_identity<Sampler>) -> Made {
    return std::make_unique<CudaProgram<ModelType, Sampler, Number>>(data, layout);
  });
}
/// The program of the first variant that fits the data; null if the sampler is none of `names` (of none: of
/// ChosenSamplers).
template <class Number, class Variants, SamplerName... names>
std::unique_ptr<Program<Number>> make_cuda_program(const Data& data, const Layout& layout, const std::string& sampler,
                                                   bool) {
  return with_variant<Number>(data, Variants{}, [&]<class M>(std::type_identity<M>) {
    return cuda_program<M, Number, ChosenSamplers<M, names...>>(data, layout, sampler);
  });
}
/// A program with code for masses that depend on position; null of a sampler that has none.
template <class Number, class Variants, SamplerName... names>
std::unique_ptr<Program<Number>> make_cuda_program_with_leaves(const Data& data, const Layout& layout,
                                                               const std::string& sampler, bool) {
  return with_variant<Number>(data, Variants{}, [&]<class M>(std::type_identity<M>) {
    return cuda_program<M, Number, WithLeavesAmong<ChosenSamplers<M, names...>>>(data, layout, sampler);
  });
}
/// True if the variant that fits the data has its terms dealt.
template <class Variants>
bool variant_deals_terms(const Data& data) {
  return with_variant<double>(data, Variants{}, []<class M>(std::type_identity<M>) { return deals_terms<M>; });
}
/// The CUDA unit of the samplers `names`; of none, of ChosenSamplers.
template <class Single, class Double, SamplerName... names>
ProgramUnit cuda_unit() {
  return {make_cuda_program<float, Single, names...>, make_cuda_program<double, Double, names...>};
}
/// Another CUDA unit, of kernels with code for masses that depend on position.
template <class Single, class Double, SamplerName... names>
ProgramUnit cuda_unit_with_leaves() {
  return {make_cuda_program_with_leaves<float, Single, names...>,
          make_cuda_program_with_leaves<double, Double, names...>};
}

}  // namespace
}  // namespace MANYCHAIN_ISA
}  // namespace manychain
