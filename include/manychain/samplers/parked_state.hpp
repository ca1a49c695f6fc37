// Values that are not needed during a trajectory, out of a GPU's registers while it lasts: where it began, and single
// values such as counters, and numbers that only the end of a transition needs. With 25 dimensions position and
// gradient are 50 of them, which a kernel that deals terms wants for its rows.
//
// With at most 25 dimensions in single precision the kernel is bound to 168 registers from sm_90 on (max_threads(),
// kernels/chain_kernel.cuh), so that a multiprocessor holds 12 warps in the place of 8, and nothing is spilled. The
// gain in speed has not been measured. On sm_80 168 registers do not suffice: before sm_90 a thread may have all 255.
//
// Logistic regression with 25 parameters would take 254 registers without it, and 255 with 704 to 1372 bytes of spill
// stores in double precision. Where a vector is not needed is known within a trajectory alone: so samplers say where.
//
// In double precision, where 25 dimensions are 50 of 255 registers, a third vector takes turns in shared memory: the
// momentum while a gradient is evaluated, the position while directions of the metric kick. Langevin samplers park
// there, too.
#pragma once

#include "manychain/samplers/state.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Room for single values beside the vectors. The first `parked_by_sampler` are those of the sampler, the rest those of
/// the loop over transitions.
inline constexpr int parked_values = 20, parked_by_sampler = 6;

/// Vectors that are put aside: position and gradient, and in double precision, where 25 dimensions are 50 registers a
/// vector, the momentum while a gradient is evaluated.
template <class Number>
inline constexpr int parked_vectors = sizeof(Number) == 8 ? 3 : 2;

/// Number of values that a chain of a block puts aside; none where all stays where it is: with few dimensions registers
/// are not scarce. Odd: in double precision, chain behind chain, the threads of a warp then meet different banks.
template <class Model, class Number>
constexpr int parked_numbers() {
  constexpr int dimension = model_dimension<Model>();
  return deals_terms<Model> && dimension > 16 ? (parked_vectors<Number> * dimension + parked_values) | 1 : 0;
}
/// Shared memory for them, in bytes.
template <class Model, class Number>
inline constexpr std::size_t parked_bytes = static_cast<std::size_t>(parked_numbers<Model, Number>()) * sizeof(Number);

/// A sampler says `static constexpr bool parks = true;` if its transitions park, `parks_in_double` if they do only
/// where there is room for a third vector.
template <class Sampler, class Number>
constexpr bool sampler_parks() {
  if constexpr (requires { Sampler::parks; })
    return true;
  else if constexpr (requires { Sampler::parks_in_double; })
    return parked_vectors<Number> == 3;
  else
    return false;
}

/// True if code that is compiled now parks: device code of such a model, with a sampler whose transitions do.
template <class Model, class Sampler, class Number>
MANYCHAIN_HD constexpr bool parks_state() {
#if defined(__CUDA_ARCH__)
  return parked_bytes < Model, Number >> 0 && sampler_parks<Sampler, Number>();
#else
  return false;
#endif
}

/// True if code that is compiled now has room for a third vector.
template <class Model, class Number>
MANYCHAIN_HD constexpr bool parks_third() {
#if defined(__CUDA_ARCH__)
  return parked_bytes < Model, Number >> 0 && parked_vectors<Number> == 3;
#else
  return false;
#endif
}

#if defined(__CUDA_ARCH__)
namespace detail {
/// The parked values of the calling thread's chain: vectors, single values. In double precision a chain's values lie
/// side by side, so that one register holds their address, in single precision those of the block's chains, which ptxas
/// makes fewer instructions of.
template <class Number>
__device__ __forceinline__ int parked_stride() {
  return sizeof(Number) == 8 ? 1 : static_cast<int>(blockDim.y);
}
template <class Model, class Number>
__device__ __forceinline__ Number* parked_memory() {
  extern __shared__ double manychain_parked[];
  return reinterpret_cast<Number*>(manychain_parked) +
         threadIdx.y * (sizeof(Number) == 8 ? parked_numbers<Model, Number>() : 1);
}
template <class Model, class Number>
__device__ __forceinline__ Number* parked_value(int place) {
  const int vectors = parked_vectors<Number> * model_dimension<Model>();
  return parked_memory<Model, Number>() + (vectors + place) * parked_stride<Number>();
}
template <class Model, class R, int vector, class N, class V>
__device__ __forceinline__ void read_parked(N n, V& v) {
  const auto* const numbers = parked_memory<Model, number_of<R>>();
  const int stride = parked_stride<number_of<R>>();
  for_each(n, [&](int i) { v[i] = R(numbers[(vector * N::compile_time + i) * stride]); });
  ChainThreads::meet();  // before the first one writes again
}
}  // namespace detail
#endif

/// Puts the position and its gradient aside. They have no values until they are read again, each by itself: with the
/// trial state beside them there may be registers for one of them alone.
template <class Model, class R, class N, class... F>
MANYCHAIN_HD void park([[maybe_unused]] const Chain<R, N, F...>& chain) {
#if defined(__CUDA_ARCH__)
  if constexpr (parked_bytes < Model, number_of < R >>> 0) {
    auto* const numbers = detail::parked_memory<Model, number_of<R>>();
    const int n = N::compile_time, stride = detail::parked_stride<number_of<R>>();
    if (ChainThreads::first())
      for_each(chain.dimension, [&](int i) {
        numbers[i * stride] = chain.position[i].v;
        numbers[(n + i) * stride] = chain.gradient[i].v;
      });
    ChainThreads::meet();
  }
#endif
}
template <class Model, class R, class N, class V>
MANYCHAIN_HD void unpark_position([[maybe_unused]] N n, [[maybe_unused]] V& position) {
#if defined(__CUDA_ARCH__)
  if constexpr (parked_bytes < Model, number_of < R >>> 0) detail::read_parked<Model, R, 0>(n, position);
#endif
}
template <class Model, class R, class N, class V>
MANYCHAIN_HD void unpark_gradient([[maybe_unused]] N n, [[maybe_unused]] V& gradient) {
#if defined(__CUDA_ARCH__)
  if constexpr (parked_bytes < Model, number_of < R >>> 0) detail::read_parked<Model, R, 1>(n, gradient);
#endif
}

/// Puts a vector aside behind position and gradient, where there is room for a third; a second one takes the place of
/// the first.
template <class Model, class R, class N, class V>
MANYCHAIN_HD void park_third([[maybe_unused]] N n, [[maybe_unused]] const V& v) {
#if defined(__CUDA_ARCH__)
  if constexpr (parks_third<Model, number_of<R>>()) {
    auto* const numbers = detail::parked_memory<Model, number_of<R>>();
    if (ChainThreads::first()) for_each(n, [&](int i) { numbers[2 * N::compile_time + i] = v[i].v; });
    ChainThreads::meet();
  }
#endif
}
template <class Model, class R, class N, class V>
MANYCHAIN_HD void unpark_third([[maybe_unused]] N n, [[maybe_unused]] V& v) {
#if defined(__CUDA_ARCH__)
  if constexpr (parks_third<Model, number_of<R>>()) detail::read_parked<Model, R, 2>(n, v);
#endif
}

/// Puts single values aside, Reals or whole numbers of 32 bits, at the places `place` and following. Registers are free
/// of them until unpark_values() gives the same variables their values again.
template <class Model, class Number, int place, class... T>
MANYCHAIN_HD void park_values([[maybe_unused]] const T&... values) {
#if defined(__CUDA_ARCH__)
  if constexpr (parked_bytes < Model, Number >> 0) {
    constexpr int end = place < parked_by_sampler ? parked_by_sampler : parked_values;
    static_assert(place + sizeof...(T) <= end && ((sizeof(T) <= sizeof(Number)) && ...));
    Number* at = detail::parked_value<Model, Number>(place);
    if (ChainThreads::first()) ((*reinterpret_cast<T*>(at) = values, at += detail::parked_stride<Number>()), ...);
    ChainThreads::meet();
  }
#endif
}
template <class Model, class Number, int place, class... T>
MANYCHAIN_HD void unpark_values([[maybe_unused]] T&... values) {
#if defined(__CUDA_ARCH__)
  if constexpr (parked_bytes < Model, Number >> 0) {
    const int stride = detail::parked_stride<Number>();
    const Number* at = detail::parked_value<Model, Number>(place);
    ((values = *reinterpret_cast<const T*>(at), at += stride), ...);
    ChainThreads::meet();  // before the first one writes again
  }
#endif
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
