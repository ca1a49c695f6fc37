// Diagnostics without draws: what is kept of each chain while it runs, and how draws are accumulated into it. One
// template for the packs of the CPU and the threads of a device.
//
// Kept of each output x: sums of u and u^2, u = scale x + shift; of its normal score z, a monotone map of u that was
// frozen at the end of warm-up, sums of z, z^2 and |z|, the folded half. In place of ranks, which need all draws.
//
// The chain program knows nothing of it: it writes draws where it is told. On a CPU the draws of a pack are accumulated
// while they are in the cache (engine/accumulate.cpp), on a device by kernels/accumulate.cu. Draws that are added
// together follow from the settings alone (segments.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "manychain/core/math.hpp"
#include "manychain/core/real.hpp"

namespace manychain::diagnostics {

/// From u to the normal score, piecewise linear between the quantiles at scores -2.5, -1.5, ..., 2.5, constant beyond
/// -4 and 4: slope u + offset + sum of bend_i max(u, knot_i).
template <class Number>
struct ScoreMap {
  static constexpr int bends = 4;
  Number scale = 1, shift = 0;  ///< u = scale x + shift
  Number low = 0, high = 0;     ///< u of the scores -4 and 4
  Number offset = 0, slope = 0;
  Number knot[bends] = {}, bend[bends] = {};
};

/// The sums of one output in one segment.
enum Sum { sum_u, sum_uu, sum_z, sum_zz, sum_abs_z, sums_kept };

/// Rows of the energy's moments: of steps between draws and about the first draw's energy, which is `energy_origin`.
enum EnergyRow { energy_last, energy_origin, energy_steps, energy_sum, energy_squares, energy_rows };

/// Bins of the histogram of scores: 16 to a unit. The outermost ones hold whatever lies beyond.
inline constexpr int bins_per_score = 16;
inline constexpr int bin_count = 8 * bins_per_score;

/// The arrays of all chains, in the memory of a backend; [...][chain], the chain index fastest.
template <class Number>
struct StreamingArrays {
  int outputs = 0;
  int segments = 0;
  std::int64_t chains = 0;
  std::int64_t stride = 0;                ///< chains apart
  std::uint32_t histogram_every = 1;      ///< draws from one that is counted to the next
  Number* sums = nullptr;                 ///< [output][segments + 1][sums_kept][stride], the last of the open chunk
  Number* energy = nullptr;               ///< [energy_rows][stride]
  const ScoreMap<Number>* map = nullptr;  ///< [output]
  std::uint64_t* histogram = nullptr;     ///< [output][bin_count]
};

/// Draws that wait to be accumulated, and where they lie.
template <class Number>
struct HeldDraws {
  const Number* draws = nullptr;   ///< [draw][output][stride], from the chain on that is accumulated
  const Number* energy = nullptr;  ///< [draw], `energy_stride` apart
  std::int64_t stride = 0;
  std::int64_t energy_stride = 0;
  std::uint64_t draw = 0;  ///< number of the first
  std::uint32_t count = 0;
  std::uint32_t segment = 0;
  bool merge = false;  ///< segments merge in pairs before
  bool close = false;  ///< the chunk ends, and goes into its segment
};

namespace streaming {

template <class R, class Number>
MANYCHAIN_HD R loaded(const Number* p) {
  R x;
  load(x, p);
  return x;
}

template <class R>
MANYCHAIN_HD R score(const ScoreMap<number_of<R>>& map, R u) {
  const R inside = min(max(u, R(map.low)), R(map.high));
  R z = fma(inside, R(map.slope), R(map.offset));
  MANYCHAIN_UNROLL
  for (int i = 0; i < ScoreMap<number_of<R>>::bends; ++i) z = fma(max(inside, R(map.knot[i])), R(map.bend[i]), z);
  return z;
}

/// The sums of one segment, or with segment = a.segments of the open chunk.
template <class Number>
MANYCHAIN_HD Number* sums_of(const StreamingArrays<Number>& a, int output, int segment, std::int64_t chain) {
  return a.sums + (static_cast<std::int64_t>(output) * (a.segments + 1) + segment) * sums_kept * a.stride + chain;
}

/// Adds the open chunk to its segment: sums of a few draws first, so that long chains in single precision stay exact.
template <class R>
MANYCHAIN_HD void close_chunk(const StreamingArrays<number_of<R>>& a, int output, int segment, std::int64_t chain) {
  auto* open = sums_of(a, output, a.segments, chain);
  auto* to = sums_of(a, output, segment, chain);
  for (int sum = 0; sum < sums_kept; ++sum) {
    store(loaded<R>(to + sum * a.stride) + loaded<R>(open + sum * a.stride), to + sum * a.stride);
    store(R(0), open + sum * a.stride);
  }
}

/// Merges segments in pairs; the upper half is empty then.
template <class R>
MANYCHAIN_HD void merge_segments(const StreamingArrays<number_of<R>>& a, int output, std::int64_t chain) {
  const auto at = [&](int segment, int sum) { return sums_of(a, output, segment, chain) + sum * a.stride; };
  for (int s = 0; s < a.segments; ++s)
    for (int sum = 0; sum < sums_kept; ++sum)
      store(2 * s < a.segments ? loaded<R>(at(2 * s, sum)) + loaded<R>(at(2 * s + 1, sum)) : R(0), at(s, sum));
}

/// Accumulates the held draws of one output of the chains of one Real, the first of which is `chain`. `count(bins)`
/// counts the bins of one draw, -1 where it is not a number.
template <class R, class Count>
MANYCHAIN_HD void accumulate_output(const StreamingArrays<number_of<R>>& a, const HeldDraws<number_of<R>>& held,
                                    int output, std::int64_t chain, Count count) {
  using Number = number_of<R>;
  if (held.merge) merge_segments<R>(a, output, chain);
  const ScoreMap<Number> map = a.map[output];
  const Number* x = held.draws + output * held.stride;
  const std::int64_t next = a.outputs * held.stride;
  // Draws are added one by one to what the open chunk has, wherever the block before has ended.
  Number* open = sums_of(a, output, a.segments, chain);
  R u1 = loaded<R>(open + sum_u * a.stride), u2 = loaded<R>(open + sum_uu * a.stride);
  R z1 = loaded<R>(open + sum_z * a.stride), z2 = loaded<R>(open + sum_zz * a.stride);
  R folded = loaded<R>(open + sum_abs_z * a.stride);
  // Number of draws until one is counted.
  std::uint32_t wait =
      static_cast<std::uint32_t>((a.histogram_every - held.draw % a.histogram_every) % a.histogram_every);
  for (std::uint32_t t = 0; t < held.count; ++t, x += next) {
    const R u = fma(loaded<R>(x), R(map.scale), R(map.shift));
    const R z = score<R>(map, u);
    u1 += u;
    u2 = fma(u, u, u2);
    z1 += z;
    z2 = fma(z, z, z2);
    folded += abs(z);
    if (wait-- > 0) continue;
    wait = a.histogram_every - 1;
    const R bin = min(max(floor((z + R(4)) * R(bins_per_score)), R(0)), R(bin_count - 1));
    count(select(z == z, bin, R(-1)));
  }
  store(u1, open + sum_u * a.stride);
  store(u2, open + sum_uu * a.stride);
  store(z1, open + sum_z * a.stride);
  store(z2, open + sum_zz * a.stride);
  store(folded, open + sum_abs_z * a.stride);
  if (held.close) close_chunk<R>(a, output, static_cast<int>(held.segment), chain);
}

template <class R>
MANYCHAIN_HD void accumulate_energy(const StreamingArrays<number_of<R>>& a, const HeldDraws<number_of<R>>& held,
                                    std::int64_t chain) {
  using Number = number_of<R>;
  const auto row = [&](EnergyRow r) { return a.energy + r * a.stride + chain; };
  const Number* energy = held.energy;
  R last = loaded<R>(row(energy_last)), origin = loaded<R>(row(energy_origin));
  if (held.draw == 0) last = origin = loaded<R>(energy);
  R steps = loaded<R>(row(energy_steps)), sum = loaded<R>(row(energy_sum)), squares = loaded<R>(row(energy_squares));
  for (std::uint32_t t = 0; t < held.count; ++t, energy += held.energy_stride) {
    const R e = loaded<R>(energy), step = e - last, d = e - origin;
    steps = fma(step, step, steps);
    sum += d;
    squares = fma(d, d, squares);
    last = e;
  }
  store(last, row(energy_last));
  store(origin, row(energy_origin));
  store(steps, row(energy_steps));
  store(sum, row(energy_sum));
  store(squares, row(energy_squares));
}

}  // namespace streaming
}  // namespace manychain::diagnostics
