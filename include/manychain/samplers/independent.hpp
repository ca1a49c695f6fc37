// Sampling without a chain: every "transition" is a draw that owes nothing to the one before.
#pragma once

#include "manychain/samplers/sampler.hpp"
#include "manychain/samplers/sweeps.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {
template <class R>
MANYCHAIN_HD Information<R> always_accepted(R energy) {
  Information<R> information;
  information.accepted = R(0) == R(0);
  information.divergent = R(0) == R(1);
  information.acceptance_probability = R(1);
  information.energy = energy;
  return information;
}
}  // namespace detail

/// Draws from the laws of the model's draw(sweep): inverse transforms, sums of uniforms, whatever a law does. The laws
/// may look at the state before: a Markov chain is then simulated as it is defined.
struct Direct {
  static constexpr const char* name = "direct";
  static constexpr bool needs_gradient = false;
  static constexpr int work_vectors = 2;
  template <class Model>
  static constexpr bool fits = gives_draws<Model>;

  template <class Model, class R, class N>
  MANYCHAIN_HD static Information<R> transition(const Model& model, Chain<R, N>& chain, const Tuning<number_of<R>>&,
                                                const Stream<R>& stream, std::uint64_t, std::uint32_t) {
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto next = take_vector(arena, n);
    auto unused = take_vector(arena, n);
    using V = decltype(next);
    for_each(n, [&](int i) { next[i] = chain.position[i]; });
    Variates<R> variates(stream);
    DrawSweep<R, V, V> sweep{chain.position, next, variates, {}};
    model.draw(sweep);
    for_each(n, [&](int i) { chain.position[i] = next[i]; });
    chain.log_density = evaluate<Want::value, R>(model, n, chain.position, unused, arena);
    return detail::always_accepted(-chain.log_density.value());
  }
  MANYCHAIN_HD static std::uint32_t evaluations(double, double, std::uint64_t, std::uint32_t) { return 1; }
};

/// Importance sampling: draws from the model's independent proposal q; the log density that is kept with a draw is its
/// log weight, log p - log q. A weight that is infinite or no number counts as a divergence.
struct Importance {
  static constexpr const char* name = "importance";
  static constexpr bool needs_gradient = false;
  static constexpr int work_vectors = 1;
  template <class Model>
  static constexpr bool fits = proposes_independently<Model>&& gives_density<Model>;

  template <class Model, class R, class N>
  MANYCHAIN_HD static Information<R> transition(const Model& model, Chain<R, N>& chain, const Tuning<number_of<R>>&,
                                                const Stream<R>& stream, std::uint64_t, std::uint32_t) {
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto unused = take_vector(arena, n);
    using V = decltype(unused);
    const NoState nothing;
    Variates<R> variates(stream);
    DrawSweep<R, NoState, V> sweep{nothing, chain.position, variates, {}};
    model.proposal(sweep);
    const Compensated<R> log_density = evaluate<Want::value, R>(model, n, chain.position, unused, arena);
    const R log_weight = log_density.minus(sweep.log_density);
    const auto zero = has_density_zero(log_density) && isfinite(sweep.log_density.sum);
    chain.log_density = Compensated<R>();
    chain.log_density.sum = select(zero, log_density.sum, log_weight);
    Information<R> information = detail::always_accepted(-chain.log_density.sum);
    information.divergent = !(zero || isfinite(log_weight));
    return information;
  }
  MANYCHAIN_HD static std::uint32_t evaluations(double, double, std::uint64_t, std::uint32_t) { return 1; }
};

/// Rejection sampling (von Neumann 1951): draws x from the model's independent proposal q until u <= p(x) / (M q(x)),
/// with log M the model's log_envelope(). The acceptance probability that is kept with a draw is that of its first
/// trial: the mean of these is Z/M, Z the integral of p. (One over the number of trials would not be: its mean is
/// larger.) A point where p > M q, or where the ratio is no number, ends the search of its chain, is where that chain
/// then stays, and counts as a divergence: the draws are worthless, and sample() throws.
struct Rejection {
  static constexpr const char* name = "rejection";
  static constexpr bool needs_gradient = false;
  static constexpr int work_vectors = 2;
  static constexpr int max_trials = 10000;
  template <class Model>
  static constexpr bool fits = proposes_independently<Model>&& gives_density<Model>&& gives_envelope<Model>;

  template <class Model, class R, class N>
  MANYCHAIN_HD static Information<R> transition(const Model& model, Chain<R, N>& chain, const Tuning<number_of<R>>&,
                                                const Stream<R>& stream, std::uint64_t transition, std::uint32_t) {
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
      DensitySweep<R, NoState, V> here{nothing, chain.position, {}};
      model.proposal(here);
      violated = !(chain.log_density.minus(here.log_density) - log_envelope <= rounding);
      done = violated;
    }
    Variates<R> variates(stream);
    R first = R(0);
    for_each(n, [&](int i) { trial[i] = chain.position[i]; });
    std::uint64_t blocks = 0;  // of a trial: a search ends where the words of its transition do
    for (int k = 0; k < max_trials && 4 * blocks * static_cast<std::uint64_t>(k + 1) <= max_words && !all(done); ++k) {
      DrawSweep<R, NoState, V> sweep{nothing, trial, variates, {}};
      model.proposal(sweep);
      const R u = variates.uniform();
      if (k == 0) blocks = variates.blocks();
      const Compensated<R> log_density = evaluate<Want::value, R>(model, n, trial, unused, arena);
      const R log_ratio = log_density.minus(sweep.log_density) - log_envelope;
      const auto exceeds = !done && !(log_ratio <= rounding || has_density_zero(log_density));
      const auto now = (!done && log(u) <= log_ratio) || exceeds;
      if (k == 0) first = select(done || has_density_zero(log_density), R(0), MetropolisRule::probability(log_ratio));
      violated = violated || exceeds;
      accept_where<R>(now, n, chain.position, trial);
      accept_where<R>(now, chain.log_density, log_density);
      done = done || now;
    }
    Information<R> information;
    information.accepted = done;
    information.divergent = violated || !done;
    information.acceptance_probability = first;
    information.energy = -chain.log_density.value();
    return information;
  }
  MANYCHAIN_HD static std::uint32_t evaluations(double, double, std::uint64_t, std::uint32_t) { return 1; }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
