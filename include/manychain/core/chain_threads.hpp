// Threads that share a chain. On a GPU the rows of a likelihood are dealt to the lanes of a warp, which hold the same
// state, draw the same random numbers and come to the same decisions; everywhere else a chain has one thread.
//
// A chain has a warp if all of this holds:
//   - its model has 64 terms or more in sums of more than 32 (observe(), sum_over(), densities of vectors; in a sum
//     within a sum the outer one counts);
//   - the adjoints are in registers: a fixed dimension of at most 32 (deals_terms, model/language/evaluate.hpp);
//   - derived outputs, which are not dealt, are at most a quarter as many as terms (Layout::threads_per_chain());
//   - its sampler moves by the density, not by full conditionals, draws of the model or minibatches
//     (CudaProgram::threads_of()).
// Each thread takes every 32nd term with 32 times its weight, and all of them take the rest (DealtTerms). At the end of
// an evaluation the adjoints and the log density are averaged over the warp, which gives what one thread would find.
// Nothing but a write to memory asks which thread it is.
#pragma once

#include <bit>
#include <cstddef>

#include "manychain/core/math.hpp"
#include "manychain/core/size.hpp"

namespace manychain {

/// Number of threads of a chain on a GPU, of a model that deals so many terms: a warp, if each thread has two of them.
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

  /// Replaces the elements of v by their means over the threads, the same bits in all of them. A reduce-scatter: in
  /// each round a thread gives half of the sums that it holds to another and takes over those of the other half, until
  /// it holds one. Then all read each mean from the thread that holds it. For 25 elements that is 56 exchanges, where 5
  /// rounds of all of them are 125; the sums are the same to the bit.
  template <int n, class V>
  MANYCHAIN_HD static void average([[maybe_unused]] Size<n> size, [[maybe_unused]] V& v) {
#if defined(__CUDA_ARCH__)
    if constexpr (n > 0) {
      if (count() == 1) return;
      static_assert(n <= 32);
      using R = std::remove_cvref_t<decltype(v[0])>;
      constexpr int halvings = std::bit_width(static_cast<unsigned>(n - 1));
      scatter<0, n, halvings>(v);
      const R mean = v[0] * R(number_of<R>(1) / 32);
      for_each(size, [&](int i) {
        const unsigned holder = __brev(static_cast<unsigned>(i) << 1) >> (31 - halvings);
        v[i] = R(__shfl_sync(0xffffffffu, mean.v, static_cast<int>(holder)));
      });
    }
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
  /// The rounds from `round` on, with threads 2^round apart; v holds `n` sums. While these are halved, a thread whose
  /// number has the bit of the round goes on with the upper half. A sum that has no counterpart there stays with both.
  template <int round, int n, int halvings, class V>
  MANYCHAIN_HD static void scatter(V& v) {
    if constexpr (round < 5) {
      using R = std::remove_cvref_t<decltype(v[0])>;
      constexpr int apart = 1 << round, kept = round < halvings ? 1 << (halvings - 1 - round) : 1;
      const bool upper = (index() & apart) != 0;
      for_each(Size<kept>{}, [&](int i) {
        if (i + kept < n) {
          const R low = v[i], high = v[i + kept];
          v[i] = select(upper, high, low) + exchanged(select(upper, low, high), apart);
        } else {
          v[i] += exchanged(v[i], apart);
        }
      });
      scatter<round + 1, kept, halvings>(v);
    }
  }
  template <class T>
  MANYCHAIN_HD static Scalar<T> exchanged(Scalar<T> x, int apart) {
    return Scalar<T>(__shfl_xor_sync(0xffffffffu, x.v, apart));
  }
#endif
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
