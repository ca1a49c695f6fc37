// Where a trajectory began, out of a GPU's registers while it lasts. With 25 dimensions position and gradient are 50 of
// them, which a kernel that deals terms wants for its rows.
#pragma once

#include "manychain/samplers/state.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Shared memory that park() needs of each chain of a block, in bytes; zero where the state stays where it is: with few
/// dimensions registers are not scarce.
template <class Model, class Number>
inline constexpr std::size_t parked_bytes =
    deals_terms<Model>&& model_dimension<Model>() > 16
        ? 2 * static_cast<std::size_t>(Size<model_dimension<Model>()>::compile_time) * sizeof(Number)
        : 0;

#if defined(__CUDA_ARCH__)
namespace detail {
/// Of the calling thread's chain: [number][chain of the block].
template <class Number>
__device__ __forceinline__ Number* parked_numbers() {
  extern __shared__ double manychain_parked[];
  return reinterpret_cast<Number*>(manychain_parked) + threadIdx.y;
}
}  // namespace detail
#endif

/// Puts the position and its gradient aside. Until unpark() they have no values.
template <class Model, class R, class N, class... F>
MANYCHAIN_HD void park([[maybe_unused]] const Chain<R, N, F...>& chain) {
#if defined(__CUDA_ARCH__)
  if constexpr (parked_bytes < Model, number_of < R >>> 0) {
    auto* const numbers = detail::parked_numbers<number_of<R>>();
    const int n = N::compile_time, chains = static_cast<int>(blockDim.y);
    if (ChainThreads::first())
      for_each(chain.dimension, [&](int i) {
        numbers[i * chains] = chain.position[i].v;
        numbers[(n + i) * chains] = chain.gradient[i].v;
      });
    ChainThreads::meet();
  }
#endif
}
template <class Model, class R, class N, class... F>
MANYCHAIN_HD void unpark([[maybe_unused]] Chain<R, N, F...>& chain) {
#if defined(__CUDA_ARCH__)
  if constexpr (parked_bytes < Model, number_of < R >>> 0) {
    const auto* const numbers = detail::parked_numbers<number_of<R>>();
    const int n = N::compile_time, chains = static_cast<int>(blockDim.y);
    for_each(chain.dimension, [&](int i) {
      chain.position[i] = R(numbers[i * chains]);
      chain.gradient[i] = R(numbers[(n + i) * chains]);
    });
    ChainThreads::meet();  // before the first one writes again
  }
#endif
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
