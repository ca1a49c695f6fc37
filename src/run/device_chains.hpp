// Number of chains that fill a CUDA device.
#pragma once

#include <algorithm>
#include <cstddef>

namespace manychain {

/// Warps of chain kernels that a multiprocessor holds at once. It has 65 536 registers, and a thread of these kernels
/// may take 255 of them: 8 warps of 32 threads.
inline constexpr std::size_t resident_warps = 8;

/// Chains of a run on a CUDA device of which nothing is said: as many as run side by side on all its multiprocessors,
/// where a chain has `threads_per_chain`. A multiple of 256, at least 256, and no more than leave 100 draws of each of
/// `outputs` below 5e7 numbers, 200 MB in single precision: the host writes them to a file. A function of the kind of
/// device and the model: what else runs on the device changes no draw.
inline std::size_t chains_that_fill(int multiprocessors, int threads_per_chain, std::size_t outputs) {
  constexpr std::size_t step = 256, warp = 32, held = 50'000'000 / 100;
  const std::size_t threads = static_cast<std::size_t>(std::max(multiprocessors, 0)) * resident_warps * warp;
  const std::size_t chains = threads / static_cast<std::size_t>(threads_per_chain);
  return std::max(std::min(chains, held / std::max<std::size_t>(outputs, 1)) / step * step, step);
}

}  // namespace manychain
