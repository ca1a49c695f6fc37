// Metropolis-Hastings (Hastings 1970) with a proposal that the model gives.
#pragma once

#include "manychain/model/distributions/visitors.hpp"
#include "manychain/samplers/sampler.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The model's proposal(visitor): distributions given the state of the chain. What it does not name stays.
struct FromProposal {
  static constexpr SamplerInfo info{.name = "metropolis_hastings",
                                    .description = "Metropolis-Hastings with the model's proposal",
                                    .needs = {&Capabilities::density, &Capabilities::proposal},
                                    .draws_from = DrawsFrom::proposal};
  template <class Model, class Visitor>
  MANYCHAIN_HD static void run(const Model& model, Visitor& visitor) {
    model.proposal(visitor);
  }
};

/// Proposes x' from q(x' | x) and accepts with probability min(1, p(x') q(x | x') / (p(x) q(x' | x))).
template <class Source = FromProposal, class Rule = MetropolisRule>
struct MetropolisHastings {
  static constexpr SamplerInfo info = Source::info;
  using Fields = DensityFields;
  template <class Number>
  using Tuning = NoTuning<Number>;
  static constexpr int work_vectors = 2;  // the proposal, and a gradient for models that know no value without it

  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static TransitionInfo<R> transition(const Model& model, Chain<R, N, F...>& chain,
                                                   const NoTuning<number_of<R>>&, const Stream<R>& stream,
                                                   std::uint64_t) {
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto proposal = take_vector(arena, n);
    using V = decltype(proposal);
    Variates<R> variates(stream);
    for_each(n, [&](int i) { proposal[i] = chain.position[i]; });
    DrawVisitor<R, V, V> there{chain.position, proposal, variates, {}};
    Source::run(model, there);
    DensityVisitor<R, V, V> back{proposal, chain.position, {}};
    Source::run(model, back);
    const R u = variates.uniform();
    auto unused = take_vector(arena, n);
    const Compensated<R> log_density = evaluate<Request::value, R>(model, n, proposal, unused, arena);
    const R log_ratio = log_density.minus(chain.log_density) + back.log_density.minus(there.log_density);
    return decide<Rule>(chain, proposal, log_density, log_ratio, u);
  }
};

/// Proposes from a distribution that does not look at the state (Tierney 1994). Good where it covers the target.
struct FromIndependentProposal {
  static constexpr SamplerInfo info{.name = "independence",
                                    .description = "Metropolis-Hastings with an independent proposal",
                                    .needs = {&Capabilities::density, &Capabilities::independent_proposal},
                                    .draws_from = DrawsFrom::proposal};
  template <class Model, class Visitor>
  MANYCHAIN_HD static void run(const Model& model, Visitor& visitor) {
    model.proposal(visitor);
  }
};
using Independence = MetropolisHastings<FromIndependentProposal>;

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
