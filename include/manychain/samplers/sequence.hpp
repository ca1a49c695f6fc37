// Samplers put together: one after the other, or one of two at random. Both leave invariant what their parts do.
#pragma once

#include "manychain/samplers/clock.hpp"
#include "manychain/samplers/gibbs.hpp"
#include "manychain/samplers/hmc.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {
/// Depth to which samplers are put together.
template <class Sampler>
inline constexpr int depth_of = 0;
template <class Sampler>
requires requires { Sampler::depth; }
inline constexpr int depth_of<Sampler> = Sampler::depth;
/// True if nothing but an evaluation of the model follows its last move, and the caller may choose of what.
template <class Sampler>
inline constexpr bool evaluates_last = requires {
  Sampler::evaluates_last;
};

/// The record of both: of the one that is tuned, where one of them is.
template <class Number, class First, class Second>
struct TuningOfPair {
  using type = PairTuning<First, Second>;
};
template <class Number, class First>
struct TuningOfPair<Number, First, NoTuning<Number>> {
  using type = First;
};
template <class Number, class Second>
struct TuningOfPair<Number, NoTuning<Number>, Second> {
  using type = Second;
};
template <class Number>
struct TuningOfPair<Number, NoTuning<Number>, NoTuning<Number>> {
  using type = NoTuning<Number>;
};

/// The information on two samplers together. Nothing of it is tuned: a class that wants that says so.
constexpr SamplerInfo together(const char* name, const SamplerInfo& a, const SamplerInfo& b) {
  SamplerInfo both{.name = name};
  std::size_t needed = 0;
  for (const auto& needs : {a.needs, b.needs})
    for (const Capability need : needs)
      if (need != nullptr && !both.needs_capability(need)) both.needs[needed++] = need;
  both.continuous = a.continuous || b.continuous;
  both.exact = a.exact && b.exact;
  both.always_accepts = a.always_accepts && b.always_accepts;
  both.draws_from = a.draws_from == DrawsFrom::itself ? b.draws_from : a.draws_from;
  std::size_t sources = 0;
  for (const DrawsFrom source : {DrawsFrom::conditionals, DrawsFrom::conditionals_at_random, DrawsFrom::proposal,
                                 DrawsFrom::model, DrawsFrom::components})
    if (source != both.draws_from && (a.draws_variates_from(source) || b.draws_variates_from(source)))
      both.parts_draw_from[sources++] = source;
  return both;
}

/// True if the log density of the state is not that of its position after a transition.
template <class Sampler>
inline constexpr bool leaves_no_density = requires {
  Sampler::leaves_no_density;
};

template <class A, class B>
struct Pair {
  static_assert((A::info.chain || A::info.exact) && (B::info.chain || B::info.exact),
                "weighted draws are none of the target: they are no part of a sequence or mixture");
  static_assert(!has_clock<A> && !has_clock<B>, "the parts of a sequence or mixture have transition(), not step()");
  static constexpr int depth = 1 + (depth_of<A> > depth_of<B> ? depth_of<A> : depth_of<B>);
  static_assert(depth <= 7, "Stream::part() numbers seven levels");
  using Fields = union_of<typename A::Fields, typename B::Fields>;
  template <class Number>
  using Tuning =
      typename TuningOfPair<Number, typename A::template Tuning<Number>, typename B::template Tuning<Number>>::type;
  static constexpr int work_vectors = A::work_vectors > B::work_vectors ? A::work_vectors : B::work_vectors;

  /// With the numbers and the tuning of a part of its own. What the part does not leave behind, the other one needs: a
  /// gradient, the log density.
  template <bool first, class Model, class R, class N, class... F>
  MANYCHAIN_HD static TransitionInfo<R> run(const Model& model, Chain<R, N, F...>& chain,
                                            const Tuning<number_of<R>>& both, const Stream<R>& stream,
                                            std::uint64_t transition) {
    using Part = std::conditional_t<first, A, B>;
    using PartTuning = typename Part::template Tuning<number_of<R>>;
    const PartTuning tuning = [&] {
      if constexpr (std::is_same_v<PartTuning, Tuning<number_of<R>>>)
        return both;
      else if constexpr (std::is_same_v<PartTuning, NoTuning<number_of<R>>>)
        return PartTuning{};
      else if constexpr (first)
        return both.first;
      else
        return both.second;
    }();
    constexpr bool leaves_no_gradient = Fields::template has<Gradient> && !keeps_gradient<Part>;
    if constexpr (leaves_no_gradient && evaluates_last<Part>) {
      return Part::template transition<Request::value_and_gradient>(model, chain, tuning, stream, transition);
    } else {
      TransitionInfo<R> info = Part::transition(model, chain, tuning, stream, transition);
      if constexpr (leaves_no_gradient) {
        chain.log_density = evaluate<Request::value_and_gradient, R>(model, chain.dimension, chain.position,
                                                                     chain.gradient, chain.arena);
        info.evaluations += R(1);
      } else if constexpr (leaves_no_density<Part>) {
        Arena<R> arena = chain.arena;
        auto unused = take_vector(arena, chain.dimension);
        chain.log_density = evaluate<Request::value, R>(model, chain.dimension, chain.position, unused, arena);
        info.evaluations += R(1);
      }
      return info;
    }
  }
};
}  // namespace detail

/// A, then B.
template <class A, class B>
struct Sequence : detail::Pair<A, B> {
  static constexpr SamplerInfo info = detail::together("sequence", A::info, B::info);
  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static TransitionInfo<R> transition(const Model& model, Chain<R, N, F...>& chain,
                                                   const typename Sequence::template Tuning<number_of<R>>& tuning,
                                                   const Stream<R>& stream, std::uint64_t transition) {
    using Pair = detail::Pair<A, B>;
    const TransitionInfo<R> first = Pair::template run<true>(model, chain, tuning, stream.part(0), transition);
    const TransitionInfo<R> second = Pair::template run<false>(model, chain, tuning, stream.part(1), transition);
    TransitionInfo<R> both = first;
    // A part that always accepts would hide that the other one is stuck.
    both.accepted = A::info.always_accepts   ? second.accepted
                    : B::info.always_accepts ? first.accepted
                                             : first.accepted || second.accepted;
    both.divergent = first.divergent || second.divergent;
    both.energy = second.energy;
    both.evaluations = first.evaluations + second.evaluations;
    return both;
  }
};

/// A or B with equal probability, the same choice in all chains: given the choices they are independent.
template <class A, class B>
struct Mixture : detail::Pair<A, B> {
  static constexpr SamplerInfo info = detail::together("mixture", A::info, B::info);
  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static TransitionInfo<R> transition(const Model& model, Chain<R, N, F...>& chain,
                                                   const typename Mixture::template Tuning<number_of<R>>& tuning,
                                                   const Stream<R>& stream, std::uint64_t transition) {
    using Pair = detail::Pair<A, B>;
    Bits<Scalar<number_of<R>>> words[4];
    stream.shared(Purpose::scan).words(0, words);
    if (words[0].lane(0) >> 31)
      return Pair::template run<true>(model, chain, tuning, stream.part(0), transition);
    else
      return Pair::template run<false>(model, chain, tuning, stream.part(1), transition);
  }
};

/// HMC-within-Gibbs: HMC on the components that have no full conditional, then Gibbs on those that have. The host gives
/// the latter a scale of zero: a leapfrog does not move them. Gibbs replaces the energy, so that there is no E-BFMI.
struct HmcThenGibbs : Sequence<Hmc<>, Gibbs<>> {
  static constexpr SamplerInfo info{
      .name = "hmc+gibbs",
      .description = "HMC-within-Gibbs: HMC, then Gibbs on what has conditionals",
      .needs = {&Capabilities::density, &Capabilities::gradient, &Capabilities::conditionals},
      .tuned = true,
      .target_acceptance = 0.85,
      .first_step = Hmc<>::first_step,
      .trajectory = true,
      .directions = true,
      .leaves_conditionals = true,
      .draws_from = DrawsFrom::conditionals};
};
/// HMC-within-Gibbs in kernels of its own, whose masses may depend on position.
struct HmcThenGibbsWithLeaves : Sequence<HmcWithLeaves, Gibbs<>> {
  static constexpr SamplerInfo info = HmcThenGibbs::info;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
