// The contract of a sampler.
//
// A sampler is a class of static members with
//   name                                     what users call it
//   needs_gradient                           of the model
//   work_vectors                             vectors of the model's dimension it needs beside its state
//   fits<Model>                              whether the model gives what it needs
//   transition(model, chain, tuning, stream, transition, leapfrog_limit) -> Information
//   evaluations(trajectory, step_size, transition, leapfrog_limit)    of the model in that transition
// It leaves the target invariant, draws nothing but from `stream`, never branches on a Real, and treats a density or an
// energy that is not finite as a rejection that is counted.
#pragma once

#include "manychain/model/evaluate.hpp"
#include "manychain/random/stream.hpp"
#include "manychain/run/chain_arrays.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Registers while the dimension is fixed and small, coalesced memory otherwise.
template <class R, class N>
using Vector = std::conditional_t<N::fixed && N::small, Registers<R, N::fixed ? N::compile_time : 1>, Strided<R>>;

template <class R, class N>
MANYCHAIN_HD Vector<R, N> take_vector(Arena<R>& arena, N n) {
  if constexpr (N::fixed && N::small)
    return Vector<R, N>{};
  else
    return arena.take(n.value());
}

/// The state of a chain, and the memory in which its transition works.
template <class R, class N>
struct Chain {
  N dimension;
  Vector<R, N> position, gradient;  ///< gradient: only of samplers that need it
  Compensated<R> log_density;
  Arena<R> arena;  ///< for trial states and for the model
};

/// What a transition tells.
template <class R>
struct Information {
  mask_of<R> accepted;
  mask_of<R> divergent;  ///< energy error above 1000, or not finite
  R acceptance_probability;
  R energy;  ///< of the state the chain is left in
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

/// Density zero, which is honest. What is computed beside it (an error of a sum, a gradient) may be no number.
template <class R>
MANYCHAIN_HD mask_of<R> has_density_zero(const Compensated<R>& log_density) {
  return log_density.sum < R(-std::numeric_limits<number_of<R>>::max());
}

/// Accepts the proposal or not, for samplers without a momentum. `u`: uniform on (0, 1].
template <class Rule, class R, class N, class V>
MANYCHAIN_HD Information<R> decide(Chain<R, N>& chain, const V& proposal, const Compensated<R>& log_density,
                                   R log_ratio, R u) {
  Information<R> information;
  // A NaN or +infinity; -infinity is honest, of the density or of the way back.
  information.divergent = !(log_ratio <= R(std::numeric_limits<number_of<R>>::max()) || has_density_zero(log_density));
  information.acceptance_probability = select(isfinite(log_density.sum), Rule::probability(log_ratio), R(0));
  information.accepted = u <= information.acceptance_probability;
  accept_where<R>(information.accepted, chain.dimension, chain.position, proposal);
  accept_where<R>(information.accepted, chain.log_density, log_density);
  information.energy = -chain.log_density.value();
  return information;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
