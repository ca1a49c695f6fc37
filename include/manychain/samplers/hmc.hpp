// Hamiltonian Monte Carlo (Duane and others 1987; Neal 2011) with jittered trajectories.
#pragma once

#include "manychain/samplers/integrator.hpp"
#include "manychain/samplers/parked_state.hpp"
#include "manychain/samplers/sampler.hpp"
#include "manychain/samplers/trajectory.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The end of a trajectory: the position, for adaptations that look at it, and the momentum there as a velocity in
/// units of the scales.
template <class R, class V>
struct TrajectoryInfo : TransitionInfo<R> {
  V proposal, momentum;
};

template <class Rule = MetropolisRule, class Integrator = Splitting>
struct Hmc {
  static double first_step(double dimension) { return 0.5 * std::pow(dimension, -0.25); }
  static constexpr SamplerInfo info{.name = "hmc",
                                    .description = "Hamiltonian Monte Carlo",
                                    .needs = {&Capabilities::density, &Capabilities::gradient},
                                    .tuned = true,
                                    .target_acceptance = 0.85,
                                    .first_step = first_step,
                                    .continuous = true,
                                    .trajectory = true,
                                    .directions = true,
                                    .shows_proposal = true,
                                    .energy = true};
  using Fields = GradientFields;
  template <class Number>
  using Tuning = TrajectoryTuning<Number>;
  static constexpr int work_vectors = 3;  // trial position, its gradient, momentum
  static constexpr bool parks = true;     // the state, during a trajectory

  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static TrajectoryInfo<R, Vector<R, N>> transition(const Model& model, Chain<R, N, F...>& chain,
                                                                 const Tuning<number_of<R>>& tuning,
                                                                 const Stream<R>& stream, std::uint64_t transition) {
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto q = take_vector(arena, n);
    auto gradient = take_vector(arena, n);
    auto v = take_vector(arena, n);
    R u = normals_and_uniform(stream, n, [&](int i, R z) { v[i] = z; });
    Compensated<R> kinetic_before = kinetic(n, v);
    colour<R>(tuning.metric, n, v);
    for_each(n, [&](int i) {
      q[i] = chain.position[i];
      gradient[i] = chain.gradient[i];
    });
    InverseMasses<R> masses;
    if (Integrator::masses_depend_on_position(tuning)) {  // directions are zero at leaves
      masses.take(arena, n.value());
      kinetic_before.add(begin_with_leaves<R>(tuning.leaves, n, q, v, masses));
    }

    std::uint32_t count = leapfrogs(tuning.trajectory, tuning.step_size, transition, tuning.leapfrog_limit,
                                    shortest_jitter(Integrator::masses_depend_on_position(tuning)));
    park<Model>(chain);
    park_values<Model, number_of<R>, 0>(u, count, kinetic_before.sum, kinetic_before.error, chain.log_density.sum,
                                        chain.log_density.error);
    const Compensated<R> log_density =
        Integrator::template trajectory<Model, R>(model, n, count, tuning, q, v, gradient, masses, arena);
    unpark_values<Model, number_of<R>, 0>(u, count, kinetic_before.sum, kinetic_before.error, chain.log_density.sum,
                                          chain.log_density.error);
    Compensated<R> kinetic_after = Integrator::masses_depend_on_position(tuning)
                                       ? end_with_leaves<R>(tuning.leaves, n, q, v, masses)
                                       : kinetic(n, v);
    if (tuning.metric.rank > 0) kinetic_after.add(R(0.5) * whitened_excess<R>(tuning.metric, n, v));

    const R log_ratio = log_density.minus(chain.log_density) - kinetic_after.minus(kinetic_before);
    const auto finite = isfinite(log_ratio) && isfinite(log_density.sum);
    TrajectoryInfo<R, Vector<R, N>> made;
    made.divergent = !finite || log_ratio < R(-1000);
    made.acceptance_probability = select(finite, Rule::probability(log_ratio), R(0));
    made.accepted = u <= made.acceptance_probability;
    made.energy = select(made.accepted, kinetic_after.value() - log_density.value(),
                         kinetic_before.value() - chain.log_density.value());
    made.evaluations = R(number_of<R>(count * stages_of(tuning.integrator)));
    made.proposal = q;
    made.momentum = v;
    unpark_gradient<Model, R>(n, chain.gradient);  // behind the last use of the momentum
    accept_where<R>(made.accepted, n, chain.gradient, gradient);
    unpark_position<Model, R>(n, chain.position);
    accept_where<R>(made.accepted, n, chain.position, q);
    accept_where<R>(made.accepted, chain.log_density, log_density);
    return made;
  }

  /// The momentum that transition() begins with at q, as a velocity.
  template <class N, class R, class V>
  MANYCHAIN_HD static void first_momentum(N n, const V& position, const Tuning<number_of<R>>& tuning,
                                          const Stream<R>& stream, Arena<R> arena, V& v) {
    normals_and_uniform(stream, n, [&](int i, R z) { v[i] = z; });
    if (Integrator::masses_depend_on_position(tuning)) {
      InverseMasses<R> masses;
      masses.take(arena, n.value());
      V q = position;
      begin_with_leaves<R>(tuning.leaves, n, q, v, masses);
      end_with_leaves<R>(tuning.leaves, n, q, v, masses);
    }
    colour<R>(tuning.metric, n, v);
  }

 private:
  template <class N, class V>
  MANYCHAIN_HD static auto kinetic(N n, const V& v) {
    using R = std::remove_cvref_t<decltype(v[0])>;
    Compensated<R> sum;
    for_each(n, [&](int i) { sum.add(R(0.5) * v[i] * v[i]); });
    return sum;
  }
};

/// HMC in kernels of its own, whose masses may depend on position.
using HmcWithLeaves = Hmc<MetropolisRule, SplittingWithLeaves>;

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
