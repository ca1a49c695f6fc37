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

/// Of `rows` rows of `stride` chains, in each group of `group`: x[c] = x[c mod period]. The first `period` of a group
/// are only read.
template <class Number>
__global__ void repeat_kernel(Number* begin, std::int64_t rows, std::int64_t stride, std::int64_t group,
                              std::int64_t period) {
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t of_group = index % stride % group;
  if (index < rows * stride && of_group >= period) begin[index] = begin[index - of_group + of_group % period];
}

}  // namespace
}  // namespace manychain
