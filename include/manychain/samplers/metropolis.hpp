// Random-walk Metropolis with normal proposals (Metropolis and others 1953; Roberts, Gelman and Gilks 1997 for scales).
#pragma once

#include "manychain/samplers/sampler.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Proposes position + step * z, z standard normal, step[i] = proposal scale times the scale of component i.
template <class Rule = MetropolisRule>
struct Metropolis {
  static constexpr const char* name = "metropolis";
  static constexpr bool needs_gradient = false;
  static constexpr int work_vectors = 2;  // the proposal, and a gradient for models that know no value without it
  template <class Model>
  static constexpr bool fits = gives_density<Model>;

  template <class Model, class R, class N>
  MANYCHAIN_HD static Information<R> transition(const Model& model, Chain<R, N>& chain,
                                                const Tuning<number_of<R>>& tuning, const Stream<R>& stream,
                                                std::uint64_t, std::uint32_t) {
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto proposal = take_vector(arena, n);
    const R u = normals_and_uniform(stream, n,
                                    [&](int i, R z) { proposal[i] = fma(R(tuning.step[i]), z, R(chain.position[i])); });

    Compensated<R> log_density;
    if constexpr (value_needs_gradient_memory<Model>) {
      auto unused = take_vector(arena, n);
      log_density = evaluate<Want::value, R>(model, n, proposal, unused, arena);
    } else {
      log_density = evaluate<Want::value, R>(model, n, proposal, proposal, arena);
    }

    return decide<Rule>(chain, proposal, log_density, log_density.minus(chain.log_density), u);
  }

  /// Evaluations of the model in one transition.
  MANYCHAIN_HD static std::uint32_t evaluations(double, double, std::uint64_t, std::uint32_t) { return 1; }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
