// Metropolis-Hastings (Hastings 1970) with a proposal that the model gives.
#pragma once

#include "manychain/samplers/sampler.hpp"
#include "manychain/samplers/sweeps.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The model's proposal(sweep): laws given the state that the chain is in. What it does not name stays as it is.
struct FromProposal {
  static constexpr const char* name = "metropolis_hastings";
  template <class Model>
  static constexpr bool given = gives_proposal<Model> && !proposes_independently<Model>;
  template <class Model, class Sweep>
  MANYCHAIN_HD static void run(const Model& model, Sweep& sweep) {
    model.proposal(sweep);
  }
};

/// Proposes x' from q(x' | x) and accepts with probability min(1, p(x') q(x | x') / (p(x) q(x' | x))).
template <class Source = FromProposal, class Rule = MetropolisRule>
struct MetropolisHastings {
  static constexpr const char* name = Source::name;
  static constexpr bool needs_gradient = false;
  static constexpr int work_vectors = 2;  // the proposal, and a gradient for models that know no value without it
  template <class Model>
  static constexpr bool fits = Source::template given<Model>&& gives_density<Model>;

  template <class Model, class R, class N>
  MANYCHAIN_HD static Information<R> transition(const Model& model, Chain<R, N>& chain, const Tuning<number_of<R>>&,
                                                const Stream<R>& stream, std::uint64_t, std::uint32_t) {
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto proposal = take_vector(arena, n);
    using V = decltype(proposal);
    Variates<R> variates(stream);
    for_each(n, [&](int i) { proposal[i] = chain.position[i]; });
    DrawSweep<R, V, V> there{chain.position, proposal, variates, {}};
    Source::run(model, there);
    DensitySweep<R, V, V> back{proposal, chain.position, {}};
    Source::run(model, back);
    const R u = variates.uniform();
    auto unused = take_vector(arena, n);
    const Compensated<R> log_density = evaluate<Want::value, R>(model, n, proposal, unused, arena);
    const R log_ratio = log_density.minus(chain.log_density) + back.log_density.minus(there.log_density);
    return decide<Rule>(chain, proposal, log_density, log_ratio, u);
  }

  MANYCHAIN_HD static std::uint32_t evaluations(double, double, std::uint64_t, std::uint32_t) { return 1; }
};

/// Proposes from a law that does not look at the state (Tierney 1994). Good where the law covers the target.
struct FromIndependentProposal {
  static constexpr const char* name = "independence";
  template <class Model>
  static constexpr bool given = proposes_independently<Model>;
  template <class Model, class Sweep>
  MANYCHAIN_HD static void run(const Model& model, Sweep& sweep) {
    model.proposal(sweep);
  }
};
using Independence = MetropolisHastings<FromIndependentProposal>;

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
