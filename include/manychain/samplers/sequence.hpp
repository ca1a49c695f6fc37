// Samplers put together: one after the other, or one of two at random. Both leave invariant what their parts do.
#pragma once

#include "manychain/samplers/gibbs.hpp"
#include "manychain/samplers/hmc.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {
template <class A, class B>
struct Pair {
  static constexpr bool needs_gradient = A::needs_gradient || B::needs_gradient;
  static constexpr int work_vectors = A::work_vectors > B::work_vectors ? A::work_vectors : B::work_vectors;
  template <class Model>
  static constexpr bool fits = A::template fits<Model>&& B::template fits<Model>;

  /// A part without a gradient leaves none behind for the other.
  template <class Part, class Model, class R, class N>
  MANYCHAIN_HD static Information<R> run(const Model& model, Chain<R, N>& chain, const Tuning<number_of<R>>& tuning,
                                         const Stream<R>& stream, std::uint64_t transition, std::uint32_t limit) {
    const Information<R> information = Part::transition(model, chain, tuning, stream, transition, limit);
    if constexpr (needs_gradient && !Part::needs_gradient)
      chain.log_density =
          evaluate<Want::value_and_gradient, R>(model, chain.dimension, chain.position, chain.gradient, chain.arena);
    return information;
  }
};
/// Numbers that another part of the same transition does not take.
template <class R>
MANYCHAIN_HD Stream<R> second_half(const Stream<R>& stream) {
  return stream.of(Purpose::second_part);
}
}  // namespace detail

/// A, then B. What is tuned is A.
template <class A, class B>
struct Sequence : detail::Pair<A, B> {
  template <class Model, class R, class N>
  MANYCHAIN_HD static Information<R> transition(const Model& model, Chain<R, N>& chain,
                                                const Tuning<number_of<R>>& tuning, const Stream<R>& stream,
                                                std::uint64_t transition, std::uint32_t limit) {
    using Pair = detail::Pair<A, B>;
    const Information<R> first = Pair::template run<A>(model, chain, tuning, stream, transition, limit);
    const Information<R> second =
        Pair::template run<B>(model, chain, tuning, detail::second_half(stream), transition, limit);
    Information<R> both = first;
    both.accepted = first.accepted || second.accepted;
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
      return Pair::template run<A>(model, chain, tuning, stream, transition, limit);
    else
      return Pair::template run<B>(model, chain, tuning, stream, transition, limit);
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
