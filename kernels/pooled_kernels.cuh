// Kernels of the pooled statistics. What they sum, they sum in the order of the chains: the launch shape changes no
// bit.
#pragma once

#include "manychain/adaptation/pooled.hpp"

namespace manychain {
namespace {

/// moments[component][partial] of `components` components, whose means and m2 begin at `mean` and `m2`.
template <class Number>
__global__ void moment_kernel(const Number* mean, const Number* m2, std::int64_t stride, std::int64_t chains,
                              int components, double count, MomentSum* moments) {
  const std::int64_t partials = partials_of(chains);
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= components * partials) return;
  const std::int64_t at = index / partials * stride;
  moments[index] = moment_partial(mean + at, m2 + at, chains, index % partials, count);
}

/// Sets x[c] = x[c mod period] in each group of `group` chains, in `rows` rows of `stride` chains. The first `period`
/// of a group are only read.
template <class Number>
__global__ void repeat_kernel(Number* begin, std::int64_t rows, std::int64_t stride, std::int64_t group,
                              std::int64_t period) {
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t of_group = index % stride % group;
  if (index < rows * stride && of_group >= period) begin[index] = begin[index - of_group + of_group % period];
}

/// Adds the counts of all chains to *total, and zeroes them.
template <class Number>
__global__ void __launch_bounds__(256)
    count_kernel(Number* counts, std::int64_t chains, std::int64_t stride, unsigned long long* total) {
  const std::int64_t chain = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned long long of_warp = chain < chains ? static_cast<unsigned long long>(counts[chain]) : 0;
  if (chain < stride) counts[chain] = 0;
  for (int apart = 16; apart > 0; apart /= 2) of_warp += __shfl_down_sync(0xffffffffu, of_warp, apart);
  if (threadIdx.x % 32 == 0 && of_warp > 0) atomicAdd(total, of_warp);
}

}  // namespace
}  // namespace manychain
