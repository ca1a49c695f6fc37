// The peaks of the CPU. Compiled with the flags of chain code, as everything in this folder.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

#include "manychain/core/pack.hpp"
#include "peak.hpp"

namespace manychain::bench {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr int repetitions = 5;

/// Independent multiply-adds: enough of them to hide a latency of 4 to 5 cycles in two units of a core.
template <class Number>
double multiply_adds(int threads) {
  using R = Pack<Number>;
  constexpr int independent = 16, rounds = 1 << 20;
  double best = 0;
  for (int k = 0; k < repetitions; ++k) {
    const Clock::time_point start = Clock::now();
#pragma omp parallel num_threads(threads)
    {
      R x[independent];
      for (int i = 0; i < independent; ++i) x[i] = R(Number(i));
      const R a = R(Number(0.999)), b = R(Number(0.001));
      for (int r = 0; r < rounds; ++r) {
        MANYCHAIN_UNROLL
        for (int i = 0; i < independent; ++i) x[i] = fma(x[i], a, b);
      }
      Number last[R::lanes] __attribute__((aligned(64)));
      for (int i = 1; i < independent; ++i) x[0] += x[i];
      store(x[0], last);
      asm volatile("" : : "r"(last) : "memory");  // or the loop would be dead code
    }
    best = std::max(best, double(threads) * rounds * independent * R::lanes / seconds_since(start));
  }
  return best;
}

/// Each thread copies its part of arrays that are far larger than any cache.
double copy_bytes(int threads) {
  constexpr std::size_t size = std::size_t{128} << 20;
  const std::unique_ptr<char[]> from(new char[size]), to(new char[size]);
  double best = 0;
  for (int k = 0; k < repetitions; ++k) {
    const Clock::time_point start = Clock::now();
#pragma omp parallel num_threads(threads)
    {
      const std::size_t part = size / static_cast<std::size_t>(threads);
      const std::size_t begin = part * static_cast<std::size_t>(omp_get_thread_num());
      if (k == 0)
        std::memset(from.get() + begin, 1, part);  // the first round brings the pages; it is never the best
      else
        std::memcpy(to.get() + begin, from.get() + begin, part);
    }
    if (k > 1) best = std::max(best, 2.0 * size / seconds_since(start));
  }
  return best;
}

}  // namespace

Peak cpu_peak(int threads, Precision precision) {
  const bool single = precision == Precision::single_precision;
  return {single ? multiply_adds<float>(threads) : multiply_adds<double>(threads), copy_bytes(threads)};
}

std::string chain_isa() { return MANYCHAIN_ISA_NAME; }

int chain_lanes(Precision precision) {
  return precision == Precision::single_precision ? Pack<float>::lanes : Pack<double>::lanes;
}

}  // namespace manychain::bench
