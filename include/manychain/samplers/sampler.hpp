// The contract of a sampler.
//
// A sampler is a class of static members with
//   info                                     a SamplerInfo: its name, what it needs of a model, what warm-up may do
//   Fields                                   what a chain carries (samplers/state.hpp)
//   Tuning<Number>                           what the chains of a group share (samplers/tuning.hpp)
//   work_vectors                             vectors of the model's dimension that it needs beside its state
//   transition(model, chain, tuning, stream, transition) -> TransitionInfo
//                                            or step(), of chains on clocks of their own (samplers/clock.hpp)
// It leaves the target invariant, draws nothing but from `stream`, never branches on a Real, and treats a density or an
// energy that is not finite as a rejection that is counted.
//
// Every table of samplers is made from `info`. No name of a sampler is compared outside of samplers/list.hpp.
#pragma once

#include <concepts>

#include "manychain/random/stream.hpp"
#include "manychain/samplers/info.hpp"
#include "manychain/samplers/state.hpp"
#include "manychain/samplers/tuning.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The requirements on a sampler. transition() is a template on the model, and is looked at when it is compiled.
template <class S>
concept Sampler = requires {
  { S::info } -> std::convertible_to<SamplerInfo>;
  typename S::Fields::template State<Scalar<float>, Size<2>>;
  typename S::template Tuning<float>;
  { S::work_vectors } -> std::convertible_to<int>;
}
&&std::is_trivially_copyable_v<typename S::template Tuning<float>>;

/// The capabilities of a model.
template <class Model>
inline constexpr Capabilities capabilities_of{gives_density<Model>,
                                              model_has_gradient<Model>(),
                                              gives_conditionals<Model>,
                                              gives_proposal<Model>,
                                              proposes_independently<Model>,
                                              gives_envelope<Model>,
                                              gives_draws<Model>,
                                              gives_log_density<Model>&& model_has_terms<Model>()};
/// True if the model gives what the sampler needs.
template <class S, class Model>
inline constexpr bool fits = S::info.fits(capabilities_of<Model>);

template <class S>
inline constexpr bool keeps_gradient = S::Fields::template has<Gradient>;

/// The report of a transition on the chains in R.
template <class R>
struct TransitionInfo {
  mask_of<R> accepted;
  mask_of<R> divergent;  ///< energy error above 1000, or not finite
  R acceptance_probability;
  R energy;              ///< of the state the chain is left in
  R evaluations = R(1);  ///< of the model
};

/// The Metropolis rule: accept with probability min(1, exp(log_ratio)). A ratio that is not a number rejects.
struct MetropolisRule {
  template <class R>
  MANYCHAIN_HD static R probability(R log_ratio) {
    const R p = exp(min(log_ratio, R(0)));
    return select(log_ratio >= R(-std::numeric_limits<number_of<R>>::max()), p, R(0));
  }
};

/// Copies the trial state into the chain where it was accepted.
template <class R, class N, class V>
MANYCHAIN_HD void accept_where(mask_of<R> accepted, N n, V& state, const V& trial) {
  for_each(n, [&](int i) { state[i] = select(accepted, trial[i], state[i]); });
}
template <class R>
MANYCHAIN_HD void accept_where(mask_of<R> accepted, Compensated<R>& state, const Compensated<R>& trial) {
  state.sum = select(accepted, trial.sum, state.sum);
  state.error = select(accepted, trial.error, state.error);
}

/// Density zero, which is honest. What is computed beside it (an error of a sum, a gradient) may be NaN.
template <class R>
MANYCHAIN_HD mask_of<R> has_density_zero(const Compensated<R>& log_density) {
  return log_density.sum < R(-std::numeric_limits<number_of<R>>::max());
}

/// Accepts the proposal or not, for samplers without a momentum. `u`: uniform on (0, 1].
template <class Rule, class R, class N, class... F, class V>
MANYCHAIN_HD TransitionInfo<R> decide(Chain<R, N, F...>& chain, const V& proposal, const Compensated<R>& log_density,
                                      R log_ratio, R u) {
  TransitionInfo<R> info;
  // A NaN or +infinity; -infinity is honest, of the density or of the way back.
  info.divergent = !(log_ratio <= R(std::numeric_limits<number_of<R>>::max()) || has_density_zero(log_density));
  info.acceptance_probability = select(isfinite(log_density.sum), Rule::probability(log_ratio), R(0));
  info.accepted = u <= info.acceptance_probability;
  accept_where<R>(info.accepted, chain.dimension, chain.position, proposal);
  accept_where<R>(info.accepted, chain.log_density, log_density);
  info.energy = -chain.log_density.value();
  return info;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
