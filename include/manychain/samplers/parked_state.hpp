// What is not needed during a trajectory, out of a GPU's registers while it lasts: where it began, and single values
// such as counters. With 25 dimensions position and gradient are 50 of them, which a kernel that deals terms wants for
// its rows.
#pragma once

#include "manychain/samplers/state.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Room for single values beside position and gradient. The first `parked_by_sampler` are those of the sampler, the
/// rest those of the loop over transitions.
inline constexpr int parked_values = 19, parked_by_sampler = 6;

/// Shared memory that a chain of a block needs, in bytes; zero where all stays where it is: with few dimensions
/// registers are not scarce.
template <class Model, class Number>
inline constexpr std::size_t parked_bytes =
    deals_terms<Model>&& model_dimension<Model>() > 16
        ? (2 * static_cast<std::size_t>(Size<model_dimension<Model>()>::compile_time) + parked_values) * sizeof(Number)
        : 0;

/// Whether code that is compiled now parks: device code of such a model, with a sampler whose transitions do.
template <class Model, class Sampler, class Number>
MANYCHAIN_HD constexpr bool parks_state() {
#if defined(__CUDA_ARCH__)
  return parked_bytes < Model, Number >> 0 && requires { Sampler::parks; };
#else
  return false;
#endif
}

#if defined(__CUDA_ARCH__)
namespace detail {
/// Of the calling thread's chain: [value][chain of the block]; position, gradient, single values.
template <class Number>
__device__ __forceinline__ Number* parked_memory() {
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
    auto* const numbers = detail::parked_memory<number_of<R>>();
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
    const auto* const numbers = detail::parked_memory<number_of<R>>();
    const int n = N::compile_time, chains = static_cast<int>(blockDim.y);
    for_each(chain.dimension, [&](int i) {
      chain.position[i] = R(numbers[i * chains]);
      chain.gradient[i] = R(numbers[(n + i) * chains]);
    });
    ChainThreads::meet();  // before the first one writes again
  }
#endif
}

/// Puts single values aside, Reals or whole numbers of 32 bits, at the places `place` and following. Registers are free
/// of them until unpark_values() gives the same variables their values again.
template <class Model, class Number, int place, class... T>
MANYCHAIN_HD void park_values([[maybe_unused]] const T&... values) {
#if defined(__CUDA_ARCH__)
  if constexpr (parked_bytes < Model, Number >> 0) {
    static_assert(place + sizeof...(T) <= parked_values && ((sizeof(T) <= sizeof(Number)) && ...));
    const int chains = static_cast<int>(blockDim.y);
    Number* at = detail::parked_memory<Number>() + (2 * Size<model_dimension<Model>()>::compile_time + place) * chains;
    if (ChainThreads::first()) ((*reinterpret_cast<T*>(at) = values, at += chains), ...);
    ChainThreads::meet();
  }
#endif
}
template <class Model, class Number, int place, class... T>
MANYCHAIN_HD void unpark_values([[maybe_unused]] T&... values) {
#if defined(__CUDA_ARCH__)
  if constexpr (parked_bytes < Model, Number >> 0) {
    const int chains = static_cast<int>(blockDim.y);
    const Number* at =
        detail::parked_memory<Number>() + (2 * Size<model_dimension<Model>()>::compile_time + place) * chains;
    ((values = *reinterpret_cast<const T*>(at), at += chains), ...);
    ChainThreads::meet();  // before the first one writes again
  }
#endif
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
