// Threads that share a chain. On a GPU the rows of a likelihood are dealt to the lanes of a warp, which hold the same
// state, draw the same random numbers and come to the same decisions; everywhere else a chain has one thread.
#pragma once

#include <cstddef>

#include "manychain/core/math.hpp"
#include "manychain/core/size.hpp"

namespace manychain {

/// How many threads a chain has on a GPU, of a model that deals so many terms: a warp, if each thread has two of them.
/// By a count of instructions, which no GPU has confirmed, that pays while there are too few chains to fill the
/// multiprocessors, and costs where chains fill them and terms are few. Neither the number of chains nor the device
/// counts, or draws would depend on it.
constexpr int threads_per_chain(std::size_t terms) { return terms >= 64 ? 32 : 1; }

inline namespace MANYCHAIN_ISA {

#if defined(__CUDACC__)
inline constexpr bool chains_may_have_threads = true;
#else
inline constexpr bool chains_may_have_threads = false;
#endif

/// The threads of the calling thread's chain: one, or a warp, along the x axis of the block.
struct ChainThreads {
#if defined(__CUDA_ARCH__)
  MANYCHAIN_HD static int count() { return static_cast<int>(blockDim.x); }
  MANYCHAIN_HD static int index() { return static_cast<int>(threadIdx.x); }
#else
  MANYCHAIN_HD static constexpr int count() { return 1; }
  MANYCHAIN_HD static constexpr int index() { return 0; }
#endif
  /// The one that writes to memory what all of them hold.
  MANYCHAIN_HD static bool first() { return index() == 0; }

  /// Waits for the others, and sees what they wrote to shared memory.
  MANYCHAIN_HD static void meet() {
#if defined(__CUDA_ARCH__)
    if (count() > 1) __syncwarp();
#endif
  }

  /// Replaces the elements of v by their means over the threads, the same bits in all of them: each exchange adds the
  /// same two numbers on both sides.
  template <class N, class V>
  MANYCHAIN_HD static void average([[maybe_unused]] N n, [[maybe_unused]] V& v) {
#if defined(__CUDA_ARCH__)
    if (count() == 1) return;
    using R = std::remove_cvref_t<decltype(v[0])>;
    MANYCHAIN_ROLLED
    for (int apart = 1; apart < 32; apart *= 2) for_each(n, [&](int i) { v[i] += exchanged(v[i], apart); });
    const R share = R(number_of<R>(1) / 32);
    for_each(n, [&](int i) { v[i] *= share; });
#endif
  }
  template <class R>
  MANYCHAIN_HD static void average([[maybe_unused]] Compensated<R>& sum) {
#if defined(__CUDA_ARCH__)
    if (count() == 1) return;
    MANYCHAIN_ROLLED
    for (int apart = 1; apart < 32; apart *= 2) {
      const R other = exchanged(sum.sum, apart);
      sum.error += exchanged(sum.error, apart);
      sum.add(other);  // what rounding loses is exact, and the same on both sides
    }
    const R share = R(number_of<R>(1) / 32);
    sum.sum *= share;
    sum.error *= share;
#endif
  }

#if defined(__CUDA_ARCH__)
 private:
  template <class T>
  MANYCHAIN_HD static Scalar<T> exchanged(Scalar<T> x, int apart) {
    return Scalar<T>(__shfl_xor_sync(0xffffffffu, x.v, apart));
  }
#endif
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
