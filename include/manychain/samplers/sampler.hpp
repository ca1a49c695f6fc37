// The contract of a sampler.
//
// A sampler is a class of static members with
//   name                                     what users call it
//   needs_gradient                           of the model
//   work_vectors                             vectors of the model's dimension it needs beside its state
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
  [[no_unique_address]] N dimension;
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

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
