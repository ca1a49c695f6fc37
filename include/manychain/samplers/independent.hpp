// Sampling without a chain: every "transition" is a draw that owes nothing to the one before.
#pragma once

#include "manychain/model/distributions/visitors.hpp"
#include "manychain/samplers/sampler.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {
template <class R>
MANYCHAIN_HD TransitionInfo<R> always_accepted(R energy) {
  TransitionInfo<R> info;
  info.accepted = R(0) == R(0);
  info.divergent = R(0) == R(1);
  info.acceptance_probability = R(1);
  info.energy = energy;
  return info;
}
}  // namespace detail

/// Draws from the distributions of the model's draw(visitor): inverse transforms, sums of uniforms, or others. They
/// may look at the state before: a Markov chain is then simulated as it is defined.
struct Direct {
  static constexpr SamplerInfo info{.name = "direct",
                                    .description = "the model's own draws",
                                    .needs = {&Capabilities::draws},
                                    .chain = false,
                                    .always_accepts = true,
                                    .draws_from = DrawsFrom::model};
  using Fields = DensityFields;
  template <class Number>
  using Tuning = NoTuning<Number>;
  static constexpr int work_vectors = 2;

  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static TransitionInfo<R> transition(const Model& model, Chain<R, N, F...>& chain,
                                                   const NoTuning<number_of<R>>&, const Stream<R>& stream,
                                                   std::uint64_t) {
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto next = take_vector(arena, n);
    auto unused = take_vector(arena, n);
    using V = decltype(next);
    for_each(n, [&](int i) { next[i] = chain.position[i]; });
    Variates<R> variates(stream);
    DrawVisitor<R, V, V> visitor{chain.position, next, variates, {}};
    model.draw(visitor);
    for_each(n, [&](int i) { chain.position[i] = next[i]; });
    chain.log_density = evaluate<Request::value, R>(model, n, chain.position, unused, arena);
    return detail::always_accepted(-chain.log_density.value());
  }
};

/// Importance sampling: draws from the model's independent proposal q; the log density that is kept with a draw is its
/// log weight, log p - log q. A weight that is infinite or NaN counts as a divergence.
struct Importance {
  static constexpr SamplerInfo info{.name = "importance",
                                    .description = "weighted draws of the proposal",
                                    .needs = {&Capabilities::density, &Capabilities::independent_proposal},
                                    .exact = false,
                                    .chain = false,
                                    .always_accepts = true,
                                    .draws_from = DrawsFrom::proposal};
  using Fields = DensityFields;
  template <class Number>
  using Tuning = NoTuning<Number>;
  static constexpr int work_vectors = 1;

  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static TransitionInfo<R> transition(const Model& model, Chain<R, N, F...>& chain,
                                                   const NoTuning<number_of<R>>&, const Stream<R>& stream,
                                                   std::uint64_t) {
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto unused = take_vector(arena, n);
    using V = decltype(unused);
    const NoState nothing;
    Variates<R> variates(stream);
    DrawVisitor<R, NoState, V> visitor{nothing, chain.position, variates, {}};
    model.proposal(visitor);
    const Compensated<R> log_density = evaluate<Request::value, R>(model, n, chain.position, unused, arena);
    const R log_weight = log_density.minus(visitor.log_density);
    const auto zero = has_density_zero(log_density) && isfinite(visitor.log_density.sum);
    chain.log_density = Compensated<R>();
    chain.log_density.sum = select(zero, log_density.sum, log_weight);
    TransitionInfo<R> drawn = detail::always_accepted(-chain.log_density.sum);
    drawn.divergent = !(zero || isfinite(log_weight));
    return drawn;
  }
};

/// Rejection sampling (von Neumann 1951): draws x from the model's independent proposal q until u <= p(x) / (M q(x)),
/// with log M the model's log_envelope(). The acceptance probability that is kept with a draw is that of its first
/// trial: the mean of these is Z/M, Z the integral of p. (One over the number of trials would not be: its mean is
/// larger.) A point where p > M q, or where the ratio is NaN, ends the search of its chain, is where that chain
/// then stays, and counts as a divergence: the draws are worthless, and sample() throws.
struct Rejection {
  static constexpr SamplerInfo info{
      .name = "rejection",
      .description = "rejection sampling",
      .needs = {&Capabilities::density, &Capabilities::independent_proposal, &Capabilities::envelope},
      .chain = false,
      .draws_from = DrawsFrom::proposal};
  using Fields = DensityFields;
  template <class Number>
  using Tuning = NoTuning<Number>;
  static constexpr int work_vectors = 2;
  static constexpr int max_trials = 10000;

  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static TransitionInfo<R> transition(const Model& model, Chain<R, N, F...>& chain,
                                                   const NoTuning<number_of<R>>&, const Stream<R>& stream,
                                                   std::uint64_t transition) {
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto trial = take_vector(arena, n);
    auto unused = take_vector(arena, n);
    using V = decltype(trial);
    const NoState nothing;
    const R log_envelope = R(number_of<R>(model.log_envelope()));
    const R rounding = R(1000 * std::numeric_limits<number_of<R>>::epsilon());
    // A violation of an earlier transition is still there. (At the first, the chain is at its starting point.)
    mask_of<R> violated = R(0) == R(1), done = R(0) == R(1);
    if (transition > 0) {
      DensityVisitor<R, NoState, V> here{nothing, chain.position, {}};
      model.proposal(here);
      violated = !(chain.log_density.minus(here.log_density) - log_envelope <= rounding);
      done = violated;
    }
    Variates<R> variates(stream);
    R first = R(0), trials = R(0);
    for_each(n, [&](int i) { trial[i] = chain.position[i]; });
    std::uint64_t blocks = 0;  // of a trial: a search ends where the words of its transition do
    for (int k = 0; k < max_trials && 4 * blocks * static_cast<std::uint64_t>(k + 1) <= max_words && !all(done); ++k) {
      DrawVisitor<R, NoState, V> visitor{nothing, trial, variates, {}};
      model.proposal(visitor);
      const R u = variates.uniform();
      if (k == 0) blocks = variates.blocks();
      trials += select(done, R(0), R(1));
      const Compensated<R> log_density = evaluate<Request::value, R>(model, n, trial, unused, arena);
      const R log_ratio = log_density.minus(visitor.log_density) - log_envelope;
      const auto exceeds = !done && !(log_ratio <= rounding || has_density_zero(log_density));
      const auto now = (!done && log(u) <= log_ratio) || exceeds;
      if (k == 0) first = select(done || has_density_zero(log_density), R(0), MetropolisRule::probability(log_ratio));
      violated = violated || exceeds;
      accept_where<R>(now, n, chain.position, trial);
      accept_where<R>(now, chain.log_density, log_density);
      done = done || now;
    }
    TransitionInfo<R> found;
    found.accepted = done;
    found.divergent = violated || !done;
    found.acceptance_probability = first;
    found.energy = -chain.log_density.value();
    found.evaluations = trials;
    return found;
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
