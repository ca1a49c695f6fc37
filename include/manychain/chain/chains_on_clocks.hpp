// The loop over the steps of chains on clocks of their own (samplers/clock.hpp).
//
// The loop of lockstep samplers (chain/chain_program.hpp) says some of this itself. Functions for both loops, inlined
// or not, gave it other machine code (GCC 12).
#pragma once

#include "manychain/chain/chain_program.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// The numbers of a Real, lane by lane.
template <class R>
struct Lanes {
  alignas(sizeof(R)) number_of<R> number[R::lanes];

  MANYCHAIN_HD explicit Lanes(R x) { store(x, number); }
  template <class F>
  MANYCHAIN_HD explicit Lanes(F number_of_lane) {
    for (int l = 0; l < R::lanes; ++l) number[l] = number_of_lane(l);
  }
  /// A whole number, below 2^24.
  MANYCHAIN_HD std::uint32_t whole(int lane) const { return static_cast<std::uint32_t>(number[lane]); }
  MANYCHAIN_HD R pack() const { return loaded<R>(number); }
  MANYCHAIN_HD number_of<R> smallest() const {
    number_of<R> x = number[0];
    for (int l = 1; l < R::lanes; ++l) x = number[l] < x ? number[l] : x;
    return x;
  }
};

/// Stores the fields of some chains, as StoreFields does of all.
template <class R, class N>
struct StoreFieldsOf {
  SomeChains<mask_of<R>> chains;
  number_of<R>* const* rows;
  std::int64_t stride, chain;
  N n;
  int k = 0;
  MANYCHAIN_HD void operator()(const char*, const R& x) { chains.store_where(x, rows[k++] + chain); }
  MANYCHAIN_HD void operator()(const char*, const Compensated<R>& x) {
    chains.store_where(x.sum, rows[k] + chain);
    chains.store_where(x.error, rows[k++] + stride + chain);
  }
  template <class V>
  MANYCHAIN_HD void operator()(const char*, const V& x) {
    for_each(n, [&](int i) { chains.store_where(R(x[i]), rows[k] + i * stride + chain); });
    ++k;
  }
};

/// The next transition of a block to keep, counted from the block's first, and its row. 64-bit
/// divisions, which a GPU lacks, stay out of the loop.
struct KeptTransitions {
  std::uint32_t next, row = 0, apart = 0;

  MANYCHAIN_HD explicit KeptTransitions(const Block& block) : next(block.count) {
    if (block.keep) {
      const std::uint64_t sampled = block.first_transition - block.sampling_begin,
                          left = block.thin - sampled % block.thin;
      row = static_cast<std::uint32_t>(sampled / block.thin - block.first_draw);
      if (left <= block.count) next = static_cast<std::uint32_t>(left) - 1;
      apart = block.thin < block.count ? static_cast<std::uint32_t>(block.thin) : block.count;
    }
  }
};

/// Writes a draw of `chains` and its statistics into a row.
template <class R, class Model, class State, class Number, class Chains>
MANYCHAIN_HD void record(const Model& model, const State& chain, const TransitionInfo<R>& info,
                         const ChainArrays<Number>& a, std::int64_t row, std::int64_t first,
                         const Stream<R>& predictions, Chains chains, mask_of<R>& finite) {
  const std::int64_t column = first - a.draws_chain;
  const RecordingSink<R, Number, Chains> sink{
      a.draws && writes<Model>() ? a.draws + row * a.outputs * a.draws_stride + column : nullptr, a.draws_stride,
      &finite, chains};
  evaluate_outputs<R>(model, chain.position, chain.arena, a.first_derived, sink, predictions);
  if (a.stats && writes<Model>()) {
    Number* stats = a.stats + row * static_cast<std::int64_t>(sample_stat_count) * a.draws_stride + column;
    chains.store_where(chain.log_density.value(), stats);
    chains.store_where(info.acceptance_probability, stats + a.draws_stride);
    chains.store_where(info.energy, stats + energy_row * a.draws_stride);
    chains.store_where(select(info.divergent, R(1), R(0)), stats + 3 * a.draws_stride);
  }
}

/// Adds the transitions that end now to the counters of their chains.
template <class R>
MANYCHAIN_HD void count_transitions(mask_of<R> now, const TransitionInfo<R>& info, R log_density, R& block_acceptance,
                                    Counters<R>& counters) {
  counters.since_move = select(now, select(info.accepted, R(0), counters.since_move + R(1)), counters.since_move);
  block_acceptance = select(now, block_acceptance + info.acceptance_probability, block_acceptance);
  Compensated<R> sum = counters.acceptance_sum;
  sum.add_of_many(info.acceptance_probability);
  accept_where<R>(now, counters.acceptance_sum, sum);
  counters.divergences += select(now && info.divergent, R(1), R(0));
  counters.largest_log_density =
      select(now, max(counters.largest_log_density, log_density), counters.largest_log_density);
}

}  // namespace detail

/// advance_chains() of samplers with a Clock.
template <class Sampler, bool observes, class R, class Model>
requires has_clock<Sampler> MANYCHAIN_HD void advance_chains(const Model& model, const ChainArrays<number_of<R>>& a,
                                                             const Block& block, std::int64_t first, Arena<R> memory) {
  using Number = number_of<R>;
  static_assert(!observes, "only lockstep samplers show proposals");
  const auto n = size_of<Model>(a);
  using N = std::remove_cvref_t<decltype(n)>;
  using State = typename Sampler::Fields::template State<R, N>;
  State chain(n, memory);
  chain.visit(detail::LoadFields<R, N>{a.state, a.stride, first, n});
  Counters<R> counters;
  counters.visit(detail::LoadFields<R, N>{a.counters, a.stride, first, n});
  R block_acceptance = R(0);
  mask_of<R> finite = counters.nonfinite == R(0);
  const auto tuning =
      static_cast<const typename Sampler::template Tuning<Number>*>(a.tuning)[first / a.chains_per_group];

  constexpr std::uint32_t blocks_per_step = (Sampler::info.words_per_step + 3) / 4;
  const std::uint64_t first_chain = a.first_chain + static_cast<std::uint64_t>(first);
  const detail::KeptTransitions kept(block);
  const R last = R(Scalar<Number>(static_cast<Number>(block.count)));
  R next_kept = R(Scalar<Number>(static_cast<Number>(kept.next)));
  R& transition = chain.clock.transition;
  while (!all(transition >= last)) {
    const detail::Lanes<R> transitions(transition), steps(chain.clock.step);
    const LaneBlocks<R> here([&](int l) {
      return Stream<R>::first_block(block.first_transition + transitions.whole(l),
                                    std::uint64_t{steps.whole(l)} * blocks_per_step);
    });
    const StepInfo<R> info =
        Sampler::step(model, chain, tuning, LaneStream<R>(a.seed, Purpose::transition, first_chain, here));
    counters.evaluations += select(transition < last, info.evaluations, R(0));

    const mask_of<R> now = info.done && transition < last;  // the transition counts, and ends
    if (any(now)) {
      detail::count_transitions<R>(now, info, chain.log_density.value(), block_acceptance, counters);
      if (block.accumulate_window && writes<Model>()) {
        const detail::Lanes<R> inverse([&](int l) {
          return Number(1) / Number(block.first_transition + transitions.whole(l) - block.window_begin + 1);
        });
        for_each(n, [&](int i) {
          const std::int64_t at = i * a.stride + first;
          detail::add_moment(R(chain.position[i]), inverse.pack(), a.moments[0] + at, a.moments[1] + at,
                             detail::SomeChains<mask_of<R>>{now});
        });
      }
      const mask_of<R> keeps = now && transition == next_kept;
      // Chains that keep the same transition are recorded at once.
      for (mask_of<R> left = keeps; any(left);) {
        const Number k = detail::Lanes<R>(select(left, transition, last)).smallest();
        const mask_of<R> these = left && transition == R(Scalar<Number>(k));
        left = left && !these;
        const auto number = static_cast<std::uint32_t>(k);
        detail::record<R>(model, chain, info, a, kept.row + (number - kept.next) / kept.apart, first,
                          Stream<R>(a.seed, Purpose::prediction, first_chain, block.first_transition + number),
                          detail::SomeChains<mask_of<R>>{these}, finite);
      }
      next_kept = select(keeps, next_kept + R(Scalar<Number>(static_cast<Number>(kept.apart))), next_kept);
      const mask_of<R> end = now && transition + R(1) >= last;
      if (writes<Model>() && any(end)) chain.visit(detail::StoreFieldsOf<R, N>{{end}, a.state, a.stride, first, n});
    }
    transition = select(info.done, transition + R(1), transition);
    chain.clock.step = select(info.done, R(0), chain.clock.step + R(1));
  }
  const R mean_acceptance = block_acceptance * R(Number(1) / Number(block.count));
  counters.acceptance = select(counters.since_move >= R(lost_after), R(1), mean_acceptance);
  counters.nonfinite = select(finite, R(0), R(1));
  if (writes<Model>()) counters.visit(detail::StoreFields<R, N>{a.counters, a.stride, first, n});
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
