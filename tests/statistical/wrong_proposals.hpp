// Samplers that are wrong on purpose, of those that take proposals, conditionals and gradients: each with the mistake
// that is likeliest. wrong_samplers.hpp has those of Metropolis and HMC.
#pragma once

#include "manychain/samplers/langevin.hpp"
#include "manychain/samplers/metropolis_hastings.hpp"
#include "manychain/samplers/sequence.hpp"
#include "statistical/sampler_targets.hpp"

namespace statistical {

/// Forgets that a Langevin proposal is not symmetric.
struct MalaWithoutCorrection : manychain::Mala<> {
  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static manychain::TransitionInfo<R> transition(
      const Model& model, manychain::Chain<R, N, F...>& chain,
      const manychain::StepTuning<manychain::number_of<R>>& tuning, const manychain::Stream<R>& stream, std::uint64_t) {
    using namespace manychain;
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto q = take_vector(arena, n);
    auto gradient = take_vector(arena, n);
    auto noise = take_vector(arena, n);
    const R u = normals_and_uniform(stream, n, [&](int i, R z) { noise[i] = z; });
    const manychain::detail::LangevinMove<R, N> move{n, tuning.step, manychain::detail::root_step(tuning)};
    move.propose(chain.position, chain.gradient, noise, q);
    const Compensated<R> log_density = evaluate<Request::value_and_gradient, R>(model, n, q, gradient, arena);
    const TransitionInfo<R> info =
        decide<MetropolisRule>(chain, q, log_density, log_density.minus(chain.log_density), u);
    accept_where<R>(info.accepted, n, chain.gradient, gradient);
    return info;
  }
};

/// Accepts by the ratio of the densities alone, or always: without the ratio of the proposals there and back.
template <class Source, bool always>
struct WithoutProposalRatio : manychain::MetropolisHastings<Source> {
  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static manychain::TransitionInfo<R> transition(const Model& model, manychain::Chain<R, N, F...>& chain,
                                                              const manychain::NoTuning<manychain::number_of<R>>&,
                                                              const manychain::Stream<R>& stream, std::uint64_t) {
    using namespace manychain;
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto proposal = take_vector(arena, n);
    auto unused = take_vector(arena, n);
    using V = decltype(proposal);
    Variates<R> variates(stream);
    for_each(n, [&](int i) { proposal[i] = chain.position[i]; });
    DrawVisitor<R, V, V> there{chain.position, proposal, variates, {}};
    Source::run(model, there);
    const R u = variates.uniform();
    const Compensated<R> log_density = evaluate<Request::value, R>(model, n, proposal, unused, arena);
    const R log_ratio = always ? R(0) : log_density.minus(chain.log_density);
    return decide<MetropolisRule>(chain, proposal, log_density, log_ratio, u);
  }
};

/// A where the first component is positive, B elsewhere: each leaves the target invariant, the choice does not.
template <class A, class B>
struct ChoiceByState : manychain::Mixture<A, B> {
  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static manychain::TransitionInfo<R> transition(
      const Model& model, manychain::Chain<R, N, F...>& chain,
      const typename ChoiceByState::template Tuning<manychain::number_of<R>>& tuning,
      const manychain::Stream<R>& stream, std::uint64_t transition) {
    using namespace manychain;
    const auto positive = R(chain.position[0]) > R(0);
    Chain<R, N, F...> other = chain;  // registers: a copy
    const TransitionInfo<R> a =
        manychain::detail::Pair<A, B>::template run<true>(model, chain, tuning, stream.part(0), transition);
    const TransitionInfo<R> b =
        manychain::detail::Pair<A, B>::template run<false>(model, other, tuning, stream.part(1), transition);
    accept_where<R>(!positive, chain.dimension, chain.position, other.position);
    accept_where<R>(!positive, chain.log_density, other.log_density);
    TransitionInfo<R> chosen = a;
    chosen.acceptance_probability = select(positive, a.acceptance_probability, b.acceptance_probability);
    return chosen;
  }
};

/// Conditional variances of a bivariate normal that are too large by five percent.
template <class Number>
struct WideConditionals : BivariateNormal<Number> {
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    const double sd = 0.8 * std::sqrt(1.05);
    visitor.component(0, [sd](const auto& q) { return manychain::normal_distribution(0.6 * q[1], sd); });
    visitor.component(1, [sd](const auto& q) { return manychain::normal_distribution(0.6 * q[0], sd); });
  }
};

/// The conditional of a spin without its field.
template <class Number>
struct SpinsWithoutField : Spins<Number> {
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.components(0, manychain::Size<4>{}, [](int i, const auto& q) {
      return manychain::bernoulli_logit_distribution(2 * coupling * (2 * (q[(i + 1) % 4] + q[(i + 3) % 4]) - 2));
    });
  }
};

}  // namespace statistical
