// Samplers put together: one after the other, or one of two at random. Both leave invariant what their parts do.
#pragma once

#include "manychain/samplers/gibbs.hpp"
#include "manychain/samplers/hmc.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {
/// How deep samplers are put together.
template <class Sampler>
inline constexpr int depth_of = 0;
template <class Sampler>
requires requires { Sampler::depth; }
inline constexpr int depth_of<Sampler> = Sampler::depth;
/// Whether a sampler never stays where it is: it says so by a member of that name.
template <class Sampler>
inline constexpr bool always_accepts = requires {
  Sampler::always_accepts;
};
/// Whether nothing but an evaluation of the model follows its last move, and the caller may choose of what.
template <class Sampler>
inline constexpr bool evaluates_last = requires {
  Sampler::evaluates_last;
};

template <class A, class B>
struct Pair {
  static constexpr int depth = 1 + (depth_of<A> > depth_of<B> ? depth_of<A> : depth_of<B>);
  static_assert(depth <= 7, "Stream::part() numbers seven levels");
  static constexpr bool needs_gradient = A::needs_gradient || B::needs_gradient;
  static constexpr int work_vectors = A::work_vectors > B::work_vectors ? A::work_vectors : B::work_vectors;
  template <class Model>
  static constexpr bool fits = A::template fits<Model>&& B::template fits<Model>;

  /// With the numbers of a part of its own. A part without a gradient leaves none behind for the other.
  template <class Part, class Model, class R, class N>
  MANYCHAIN_HD static Information<R> run(const Model& model, Chain<R, N>& chain, const Tuning<number_of<R>>& tuning,
                                         const Stream<R>& stream, std::uint64_t transition, std::uint32_t limit) {
    constexpr bool leaves_no_gradient = needs_gradient && !Part::needs_gradient;
    if constexpr (leaves_no_gradient && evaluates_last<Part>) {
      return Part::template transition<Want::value_and_gradient>(model, chain, tuning, stream, transition, limit);
    } else {
      const Information<R> information = Part::transition(model, chain, tuning, stream, transition, limit);
      if constexpr (leaves_no_gradient)
        chain.log_density =
            evaluate<Want::value_and_gradient, R>(model, chain.dimension, chain.position, chain.gradient, chain.arena);
      return information;
    }
  }
};
}  // namespace detail

/// A, then B. What is tuned is A.
template <class A, class B>
struct Sequence : detail::Pair<A, B> {
  template <class Model, class R, class N>
  MANYCHAIN_HD static Information<R> transition(const Model& model, Chain<R, N>& chain,
                                                const Tuning<number_of<R>>& tuning, const Stream<R>& stream,
                                                std::uint64_t transition, std::uint32_t limit) {
    using Pair = detail::Pair<A, B>;
    const Information<R> first = Pair::template run<A>(model, chain, tuning, stream.part(0), transition, limit);
    const Information<R> second = Pair::template run<B>(model, chain, tuning, stream.part(1), transition, limit);
    Information<R> both = first;
    // A part that always accepts would hide that the other one is stuck.
    both.accepted = detail::always_accepts<A>   ? second.accepted
                    : detail::always_accepts<B> ? first.accepted
                                                : first.accepted || second.accepted;
    both.divergent = first.divergent || second.divergent;
    both.energy = second.energy;
    return both;
  }
  MANYCHAIN_HD static std::uint32_t evaluations(double trajectory, double step_size, std::uint64_t transition,
                                                std::uint32_t limit) {
    return A::evaluations(trajectory, step_size, transition, limit) +
           B::evaluations(trajectory, step_size, transition, limit);
  }
};

/// A or B with equal probability, the same choice in all chains: given the choices they are independent.
template <class A, class B>
struct Mixture : detail::Pair<A, B> {
  template <class Model, class R, class N>
  MANYCHAIN_HD static Information<R> transition(const Model& model, Chain<R, N>& chain,
                                                const Tuning<number_of<R>>& tuning, const Stream<R>& stream,
                                                std::uint64_t transition, std::uint32_t limit) {
    using Pair = detail::Pair<A, B>;
    Bits<Scalar<number_of<R>>> words[4];
    stream.shared(Purpose::scan).words(0, words);
    if (words[0].lane(0) >> 31)
      return Pair::template run<A>(model, chain, tuning, stream.part(0), transition, limit);
    else
      return Pair::template run<B>(model, chain, tuning, stream.part(1), transition, limit);
  }
  /// At most.
  MANYCHAIN_HD static std::uint32_t evaluations(double trajectory, double step_size, std::uint64_t transition,
                                                std::uint32_t limit) {
    const std::uint32_t a = A::evaluations(trajectory, step_size, transition, limit);
    const std::uint32_t b = B::evaluations(trajectory, step_size, transition, limit);
    return a > b ? a : b;
  }
};

/// HMC on the components that have no full conditional, then Gibbs on those that have. The host gives the latter a
/// scale of zero: a leapfrog does not move them.
struct HmcThenGibbs : Sequence<Hmc<>, Gibbs<>> {
  static constexpr const char* name = "hmc+gibbs";
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
