// Gibbs samplers (Geman and Geman 1984; Gelfand and Smith 1990) from the full conditionals that a model gives.
#pragma once

#include "manychain/samplers/metropolis_hastings.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The order in which components are updated.
struct SystematicScan {
  static constexpr SamplerInfo info{.name = "gibbs",
                                    .description = "Gibbs, systematic scan",
                                    .needs = {&Capabilities::conditionals},
                                    .always_accepts = true,
                                    .draws_from = DrawsFrom::conditionals};
  template <class Model, class R, class V>
  MANYCHAIN_HD static void update(const Model& model, V& q, Variates<R>& variates, const Stream<R>&) {
    SequentialVisitor<R, V> visitor{q, variates};
    model.conditionals(visitor);
  }
};
/// As many updates as there are, each of one chosen at random. All chains choose the same: given the order, which
/// depends on nothing else, they are independent, and no lane waits for another.
struct RandomScan {
  static constexpr SamplerInfo info{.name = "random_scan_gibbs",
                                    .description = "Gibbs, random scan",
                                    .needs = {&Capabilities::conditionals},
                                    .always_accepts = true,
                                    .draws_from = DrawsFrom::conditionals_at_random};
  template <class Model, class R, class V>
  MANYCHAIN_HD static void update(const Model& model, V& q, Variates<R>& variates, const Stream<R>& stream) {
    CountingVisitor count;
    model.conditionals(count);
    const auto shared = stream.shared(Purpose::scan);
    Variates<Scalar<number_of<R>>> choice(shared);
    for (int k = 0; k < count.updates; ++k) {
      const std::uint64_t word = choice.word().lane(0);
      const int chosen = static_cast<int>((word * static_cast<std::uint64_t>(count.updates)) >> 32);
      SelectedVisitor<R, V> visitor{q, variates, chosen};
      model.conditionals(visitor);
    }
  }
};

/// Every draw is accepted. A block of components is one update: that is blocked Gibbs.
template <class Scan = SystematicScan>
struct Gibbs {
  static constexpr SamplerInfo info = Scan::info;
  using Fields = DensityFields;
  template <class Number>
  using Tuning = NoTuning<Number>;
  static constexpr int work_vectors = 1;  // a gradient for models that know no value without it
  static constexpr bool evaluates_last = true;

  /// request: of the state that is left, Request::value_and_gradient beside a sampler that needs the latter.
  template <Request request = Request::value, class Model, class R, class N, class... F>
  MANYCHAIN_HD static TransitionInfo<R> transition(const Model& model, Chain<R, N, F...>& chain,
                                                   const NoTuning<number_of<R>>&, const Stream<R>& stream,
                                                   std::uint64_t) {
    Variates<R> variates(stream);
    Scan::template update<Model, R>(model, chain.position, variates, stream);
    if constexpr (request == Request::value) {
      Arena<R> arena = chain.arena;
      auto unused = take_vector(arena, chain.dimension);
      chain.log_density = evaluate<request, R>(model, chain.dimension, chain.position, unused, arena);
    } else {
      chain.log_density = evaluate<request, R>(model, chain.dimension, chain.position, chain.gradient, chain.arena);
    }
    TransitionInfo<R> done;
    done.accepted = R(0) == R(0);
    done.acceptance_probability = R(1);
    done.divergent = !isfinite(chain.log_density.sum);  // a conditional drew what the density forbids
    done.energy = -chain.log_density.value();
    return done;
  }
};

/// All components are proposed at once, each from its full conditional given the old state, and the whole is corrected
/// by Metropolis-Hastings: where components hardly depend on each other nearly all is accepted, and none waits for
/// another.
struct FromConditionals {
  static constexpr SamplerInfo info{.name = "parallel_gibbs",
                                    .description = "all conditionals at once, corrected",
                                    .needs = {&Capabilities::density, &Capabilities::conditionals},
                                    .draws_from = DrawsFrom::conditionals};
  template <class Model, class Visitor>
  MANYCHAIN_HD static void run(const Model& model, Visitor& visitor) {
    model.conditionals(visitor);
  }
};
using ParallelGibbs = MetropolisHastings<FromConditionals>;

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
