// Random-walk Metropolis with normal proposals (Metropolis and others 1953; Roberts, Gelman and Gilks 1997 for scales).
#pragma once

#include <cmath>

#include "manychain/samplers/sampler.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Proposes position + step * z, z standard normal, step[i] = proposal scale times the scale of component i.
template <class Rule = MetropolisRule>
struct Metropolis {
  static double first_step(double dimension) { return 2.4 / std::sqrt(dimension); }
  static constexpr SamplerInfo info{.name = "metropolis",
                                    .description = "random-walk Metropolis",
                                    .needs = {&Capabilities::density},
                                    .tuned = true,
                                    .target_acceptance = 0.234,
                                    .target_acceptance_1d = 0.44,
                                    .first_step = first_step,
                                    .continuous = true};
  using Fields = DensityFields;
  template <class Number>
  using Tuning = StepTuning<Number>;
  static constexpr int work_vectors = 2;  // the proposal, and a gradient for models that know no value without it

  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static TransitionInfo<R> transition(const Model& model, Chain<R, N, F...>& chain,
                                                   const Tuning<number_of<R>>& tuning, const Stream<R>& stream,
                                                   std::uint64_t) {
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto proposal = take_vector(arena, n);
    const R u = normals_and_uniform(stream, n,
                                    [&](int i, R z) { proposal[i] = fma(R(tuning.step[i]), z, R(chain.position[i])); });

    Compensated<R> log_density;
    if constexpr (value_needs_gradient_memory<Model>) {
      auto unused = take_vector(arena, n);
      log_density = evaluate<Request::value, R>(model, n, proposal, unused, arena);
    } else {
      log_density = evaluate<Request::value, R>(model, n, proposal, proposal, arena);
    }

    return decide<Rule>(chain, proposal, log_density, log_density.minus(chain.log_density), u);
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
