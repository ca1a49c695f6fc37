// Kernels of the pooled statistics. What they sum, they sum in the order of the chains: the launch shape changes no
// bit.
#pragma once

#include "manychain/run/chain_arrays.hpp"
#include "manychain/warmup/pooled.hpp"

namespace manychain {
namespace {

/// partials[k] = acceptance_partial(k): one block a partial, one thread a chain; the first one sums.
template <class Number>
__global__ void __launch_bounds__(chains_per_partial)
    acceptance_kernel(const Number* acceptance, std::int64_t chains, const DualAveraging* adaptation,
                      double* partials) {
  __shared__ double term[chains_per_partial];
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t first = blockIdx.x * chains_per_partial;
  const int here = static_cast<int>(chains - first < chains_per_partial ? chains - first : chains_per_partial);
  if (thread < here)
    term[thread] = DualAveraging::term(static_cast<double>(acceptance[first + thread]), adaptation->harmonic);
  __syncthreads();
  if (thread > 0) return;
  double sum = 0;
  for (int c = 0; c < here; ++c) sum += term[c];
  partials[blockIdx.x] = sum;
}

/// One block. With `partials`: notes the step size that was, folds the partials in order and updates the adaptation.
/// With or without: the tuning follows the adaptation.
template <class Number>
__global__ void __launch_bounds__(chains_per_partial)
    tuning_kernel(DualAveraging* adaptation, Tuning<Number>* tuning, const Number* scale, Number* step, int dimension,
                  const double* partials, std::int64_t chains, Number* history) {
  __shared__ double tile[chains_per_partial];
  __shared__ Number step_size;
  const int thread = static_cast<int>(threadIdx.x);
  if (partials) {
    const std::int64_t count = partials_of(chains);
    double sum = 0;
    for (std::int64_t base = 0; base < count; base += chains_per_partial) {
      const int here = static_cast<int>(count - base < chains_per_partial ? count - base : chains_per_partial);
      if (thread < here) tile[thread] = partials[base + thread];
      __syncthreads();
      if (thread == 0)
        for (int k = 0; k < here; ++k) sum += tile[k];
      __syncthreads();
    }
    if (thread == 0) {
      *history = tuning->step_size;
      DualAveraging updated = *adaptation;
      updated.update(DualAveraging::pooled(sum / static_cast<double>(chains), updated.harmonic));
      *adaptation = updated;
    }
  }
  if (thread == 0) tuning->step_size = step_size = static_cast<Number>(::exp(adaptation->log_step));
  __syncthreads();
  for (int i = thread; i < dimension; i += static_cast<int>(blockDim.x)) step[i] = step_size * scale[i];
}

/// moments[component][partial] of `components` components from `first_component` on.
template <class Number>
__global__ void moment_kernel(const ChainArrays<Number> arrays, int first_component, int components, double count,
                              MomentSum* moments) {
  const std::int64_t partials = partials_of(arrays.chains);
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= components * partials) return;
  const std::int64_t at = (first_component + index / partials) * arrays.stride;
  moments[index] =
      moment_partial(arrays.window_mean + at, arrays.window_m2 + at, arrays.chains, index % partials, count);
}

/// Of `rows` rows of `stride` chains: x[c] = x[c mod period]. The first `period` are only read.
template <class Number>
__global__ void repeat_kernel(Number* begin, std::int64_t rows, std::int64_t stride, std::int64_t period) {
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t chain = index % stride;
  if (index < rows * stride && chain >= period) begin[index] = begin[index - chain + chain % period];
}

}  // namespace
}  // namespace manychain
