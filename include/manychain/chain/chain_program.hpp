// The chain program: the work of one pack of chains (one thread of a GPU) in a block of transitions. Written once; the
// CPU unit instantiates it for packs, the CUDA unit for a scalar.
#pragma once

#include "manychain/adaptation/dual_averaging.hpp"
#include "manychain/chain/chain_arrays.hpp"
#include "manychain/chain/counters.hpp"
#include "manychain/core/chain_threads.hpp"
#include "manychain/core/sample_stats.hpp"
#include "manychain/samplers/clock.hpp"
#include "manychain/samplers/parked_state.hpp"
#include "manychain/samplers/sampler.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

template <class Model>
using SizeOf = Size<model_dimension<Model>()>;

template <class Model, class Number>
MANYCHAIN_HD auto size_of(const ChainArrays<Number>& arrays) {
  if constexpr (SizeOf<Model>::fixed)
    return SizeOf<Model>{};
  else
    return Size<dynamic>(arrays.dimension);
}

/// Reals of working memory that a chain needs, for a model of that dimension and scratch. `dependent_scales`: some
/// scales depend on parameters.
template <class Model, class Sampler>
std::size_t workspace_reals(std::size_t dimension, std::size_t scratch, bool dependent_scales = false) {
  const std::size_t vectors = Sampler::Fields::vectors + Sampler::work_vectors;
  const std::size_t of_leaves = Sampler::info.directions && dependent_scales ? leaf_mass_vectors : 0;
  return scratch + (of_leaves + (is_unrolled<SizeOf<Model>> ? 0 : vectors)) * dimension;
}

/// True if this thread writes to memory the values that all threads of its chain hold. A constant if a chain has one
/// thread.
template <class Model>
MANYCHAIN_HD bool writes() {
  if constexpr (deals_terms<Model>)
    return ChainThreads::first();
  else
    return true;
}

namespace detail {
template <class R, class Number>
MANYCHAIN_HD R loaded(const Number* p) {
  R x;
  load(x, p);
  return x;
}

/// Stores numbers of all chains of a Real.
struct AllChains {
  template <class R, class Number>
  MANYCHAIN_HD void store_where(R x, Number* p) const {
    store(x, p);
  }
  template <class Mask>
  MANYCHAIN_HD Mask hold(Mask condition) const {
    return condition;
  }
};
/// Stores numbers of the chains of a mask, and asks conditions of them alone.
template <class Mask>
struct SomeChains {
  Mask chosen;
  template <class R, class Number>
  MANYCHAIN_HD void store_where(R x, Number* p) const {
    store(select(chosen, x, loaded<R>(p)), p);
  }
  MANYCHAIN_HD Mask hold(Mask condition) const { return condition || !chosen; }
};

/// Adds x, the n-th value, to a running mean and sum of squared deviations (Welford 1962).
template <class R, class Number, class Chains = AllChains>
MANYCHAIN_HD void add_moment(R x, R inverse_n, Number* mean_p, Number* m2_p, Chains chains = {}) {
  const R mean = loaded<R>(mean_p);
  const R delta = x - mean;
  const R updated = fma(delta, inverse_n, mean);
  chains.store_where(updated, mean_p);
  chains.store_where(fma(delta, x - updated, loaded<R>(m2_p)), m2_p);
}

template <class R, class N, class V, class Number>
MANYCHAIN_HD void store_vector(N n, const V& v, Number* row, std::int64_t stride) {
  for_each(n, [&](int i) { store(R(v[i]), row + i * stride); });
}

// On packs, inlining into the loop over transitions would take registers of every run: 6 % of the normal's HMC.
#if defined(__CUDACC__)
#define MANYCHAIN_APART MANYCHAIN_HD
#else
#define MANYCHAIN_APART [[gnu::noinline]]
#endif

/// Draws the momentum that the transition will draw again, so that no register holds it during the trajectory.
template <class Sampler, class R, class N, class Tuning, class Number>
MANYCHAIN_APART void store_first_momentum(N n, const Vector<R, N>& position, const Tuning& tuning,
                                          const Stream<R>& stream, Arena<R> arena, Number* row, std::int64_t stride) {
  auto momentum = take_vector(arena, n);
  Sampler::first_momentum(n, position, tuning, stream, arena, momentum);
  store_vector<R>(n, momentum, row, stride);
}
#undef MANYCHAIN_APART

/// Writes the outputs of a draw, while its position is in registers, and notes if one is not finite.
template <class R, class Number, class Chains>
struct RecordingSink {
  Number* draw;  // or null
  std::int64_t stride;
  mask_of<R>* finite;
  Chains chains;
  MANYCHAIN_HD void operator()(int index, R x) const {
    if (draw) chains.store_where(x, draw + index * stride);
    *finite = *finite && chains.hold(isfinite(x));
  }
};
}  // namespace detail

/// Runs `block` for the chains of one Real, the first of which is local chain `first`. `memory` holds
/// workspace_reals(). `observes`: true if ChainArrays::observed may be set. A kernel that could store it would hold all
/// its addresses in registers (102 against 92 in HMC of ten normals), so that kernels that never do are compiled
/// without. HMC has one kernel for warm-up with ChEES or SNAPER, and one for all else.
template <class Sampler, bool observes, class R, class Model>
requires(!has_clock<Sampler>) MANYCHAIN_HD
    void advance_chains(const Model& model, const ChainArrays<number_of<R>>& a, const Block& block, std::int64_t first,
                        Arena<R> memory) {
  using Number = number_of<R>;
  const auto n = size_of<Model>(a);
  using N = std::remove_cvref_t<decltype(n)>;
  using State = typename Sampler::Fields::template State<R, N>;
  State chain(n, memory);
  chain.visit(detail::LoadFields<R, N>{a.state, a.stride, first, n});
  Counters<R> counters;
  counters.visit(detail::LoadFields<R, N>{a.counters, a.stride, first, n});
  R block_acceptance = R(0);
  mask_of<R> finite = counters.nonfinite == R(0);

  using Tuning = typename Sampler::template Tuning<Number>;
  // The next transition of the block to keep, and its row, advanced in the loop without a 64-bit division, which a GPU
  // lacks.
  std::uint32_t next_kept = block.count, next_row = 0, apart = 0;
  if (block.keep) {
    const std::uint64_t sampled = block.first_transition - block.sampling_begin,
                        left = block.thin - sampled % block.thin;
    next_row = static_cast<std::uint32_t>(sampled / block.thin - block.first_draw);
    if (left <= block.count) next_kept = static_cast<std::uint32_t>(left) - 1;
    apart = block.thin < block.count ? static_cast<std::uint32_t>(block.thin) : block.count;
  }
  // A copy, held in registers for the whole block; a reference if these are scarce.
  constexpr bool parks = parks_state<Model, Sampler, Number>();
  const std::conditional_t<parks, const Tuning&, const Tuning> tuning =
      static_cast<const Tuning*>(a.tuning)[first / a.chains_per_group];
  for (std::uint32_t k = 0; k < block.count; ++k) {
    const std::uint64_t transition = block.first_transition + k;
    const Stream<R> stream(a.seed, Purpose::transition, a.first_chain + static_cast<std::uint64_t>(first), transition);
    [[maybe_unused]] auto low = static_cast<std::uint32_t>(first), high = static_cast<std::uint32_t>(first >> 32);
    if constexpr (parks) {
      counters.nonfinite = select(finite, R(0), R(1));
      park_values<Model, Number, parked_by_sampler>(
          low, high, k, next_kept, next_row, apart, block_acceptance, counters.since_move, counters.acceptance_sum.sum,
          counters.acceptance_sum.error, counters.divergences, counters.largest_log_density, counters.evaluations,
          counters.nonfinite);
    }
    if constexpr (observes)
      if (a.observed[0] && writes<Model>()) {
        detail::store_vector<R>(n, chain.position, a.observed[0] + first, a.stride);
        detail::store_first_momentum<Sampler>(n, chain.position, tuning, stream, chain.arena, a.observed[3] + first,
                                              a.stride);
      }
    const auto info = Sampler::transition(model, chain, tuning, stream, transition);
    if constexpr (parks) {
      unpark_values<Model, Number, parked_by_sampler>(low, high);
      first = static_cast<std::int64_t>(static_cast<std::uint64_t>(high) << 32 | low);
    }
    if constexpr (observes)
      if (a.observed[0] && writes<Model>()) {
        detail::store_vector<R>(n, info.proposal, a.observed[1] + first, a.stride);
        detail::store_vector<R>(n, info.momentum, a.observed[2] + first, a.stride);
      }
    if constexpr (parks) {
      unpark_values<Model, Number, parked_by_sampler + 2>(  // after low and high
          k, next_kept, next_row, apart, block_acceptance, counters.since_move, counters.acceptance_sum.sum,
          counters.acceptance_sum.error, counters.divergences, counters.largest_log_density, counters.evaluations,
          counters.nonfinite);
      finite = counters.nonfinite == R(0);
    }
    counters.since_move = select(info.accepted, R(0), counters.since_move + R(1));
    block_acceptance += info.acceptance_probability;
    counters.acceptance_sum.add_of_many(info.acceptance_probability);
    counters.divergences += select(info.divergent, R(1), R(0));
    counters.largest_log_density = max(counters.largest_log_density, chain.log_density.value());
    counters.evaluations += info.evaluations;

    if (block.accumulate_window && writes<Model>()) {
      const Number inverse = Number(1) / Number(block.first_transition + k - block.window_begin + 1);
      for_each(n, [&](int i) {
        const std::int64_t at = i * a.stride + first;
        detail::add_moment(R(chain.position[i]), R(inverse), a.moments[0] + at, a.moments[1] + at);
      });
    }
    if (k == next_kept) {
      next_kept = apart < block.count - next_kept ? next_kept + apart : block.count;
      const std::int64_t row = next_row++;
      const std::int64_t column = first - a.draws_chain;
      const detail::RecordingSink<R, Number, detail::AllChains> sink{
          a.draws && writes<Model>() ? a.draws + row * a.outputs * a.draws_stride + column : nullptr,
          a.draws_stride,
          &finite,
          {}};
      evaluate_outputs<R>(model, chain.position, chain.arena, a.first_derived, sink, stream.of(Purpose::prediction));
      if (a.stats && writes<Model>()) {
        Number* stats = a.stats + row * static_cast<std::int64_t>(sample_stat_count) * a.draws_stride + column;
        store(chain.log_density.value(), stats);
        store(info.acceptance_probability, stats + a.draws_stride);
        store(info.energy, stats + energy_row * a.draws_stride);
        store(select(info.divergent, R(1), R(0)), stats + 3 * a.draws_stride);
      }
    }
  }

  if (writes<Model>()) chain.visit(detail::StoreFields<R, N>{a.state, a.stride, first, n});
  const R mean_acceptance = block_acceptance * R(Number(1) / Number(block.count));
  counters.acceptance = select(counters.since_move >= R(lost_after), R(1), mean_acceptance);
  counters.nonfinite = select(finite, R(0), R(1));
  if (writes<Model>()) counters.visit(detail::StoreFields<R, N>{a.counters, a.stride, first, n});
}

/// Finds a starting point for the chains of one Real: the positions that are in memory (tries = 0), or up to `tries`
/// points uniform within the radius of `a` until log density and gradient are finite. A chain that finds none is
/// marked.
template <bool with_gradient, class R, class Model>
MANYCHAIN_HD void initialise_chains(const Model& model, const ChainArrays<number_of<R>>& a, int tries,
                                    std::int64_t first, Arena<R> memory) {
  using Number = number_of<R>;
  const auto n = size_of<Model>(a);
  auto q = take_vector(memory, n);
  auto gradient = take_vector(memory, n);
  // The fields of every state begin with position, log density and gradient.
  mask_of<R> found = R(0) == R(1);
  for_each(n, [&](int i) { load(q[i], a.state[0] + i * a.stride + first); });
  for (int attempt = 0; attempt < (tries > 0 ? tries : 1) && !all(found); ++attempt) {
    if (tries > 0) {
      const Stream<R> stream(a.seed, Purpose::initial_point, a.first_chain + static_cast<std::uint64_t>(first),
                             static_cast<std::uint64_t>(attempt));
      const Number radius = a.initial_radius;
      uniforms(stream, n, [&](int i, R u) {
        q[i] = fma(R(Scalar<Number>(2 * radius)), u, R(Scalar<Number>(-radius)));
        gradient[i] = fma(R(4), u, R(-2));
      });
      settle<R>(model, gradient, q, memory);
    }
    constexpr Request request = with_gradient ? Request::value_and_gradient : Request::value;
    const Compensated<R> lp = evaluate<request, R>(model, n, q, gradient, memory);
    mask_of<R> finite = isfinite(lp.sum);
    if constexpr (with_gradient) for_each(n, [&](int i) { finite = finite && isfinite(R(gradient[i])); });
    const mask_of<R> now = finite && !found;
    const auto put = [&](R x, auto* p) { store(select(now, x, detail::loaded<R>(p)), p); };
    if (writes<Model>()) {
      // The last attempt is kept in any case, so that the caller can name the point.
      for_each(n, [&](int i) {
        const std::int64_t at = i * a.stride + first;
        store(select(found, detail::loaded<R>(a.state[0] + at), R(q[i])), a.state[0] + at);
        if constexpr (with_gradient) put(gradient[i], a.state[2] + at);
      });
      put(lp.sum, a.state[1] + first);
      put(lp.error, a.state[1] + a.stride + first);
    }
    found = found || finite;
  }
  if (writes<Model>()) store(select(found, R(0), R(1)), a.counters[nonfinite_counter] + first);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
