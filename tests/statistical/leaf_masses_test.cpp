// HMC with masses that depend on position leaves its target invariant, whether they fit it or not; three ways to get
// that wrong are caught by the same function, with the same number of chains, at the same threshold. False alarms:
// z_test.hpp. A force of the wrong sign leaves the target invariant, too, and only makes it reject:
// unit/samplers/leaf_masses_test.cpp.
#include <gtest/gtest.h>

#include "manychain/models/banana.hpp"
#include "manychain/models/funnel.hpp"
#include "statistical/exact_targets.hpp"
#include "statistical/wrong_samplers.hpp"

namespace {

using namespace statistical;
using namespace manychain;

enum class Mistake { none, no_log_determinant, mass_of_the_start, one_sided };

/// Hmc, written plainly, with a mistake.
template <Mistake mistake>
struct CarelessHmc {
  static constexpr SamplerInfo info = [] {
    SamplerInfo of_hmc = Hmc<>::info;
    of_hmc.shows_proposal = false;
    return of_hmc;
  }();
  using Fields = GradientFields;
  template <class Number>
  using Tuning = TrajectoryTuning<Number>;
  static constexpr int work_vectors = 0;

  template <class Model, class R, class N, class... F>
  static TransitionInfo<R> transition(const Model& model, Chain<R, N, F...>& chain, const Tuning<number_of<R>>& tuning,
                                      const Stream<R>& stream, std::uint64_t transition) {
    const N n = chain.dimension;
    R room[(5 + leaf_mass_vectors) * N::compile_time];
    Arena<R> own{Strided<R>{room, 1}, 0};
    auto q = own.take(n.value()), gradient = own.take(n.value()), v = own.take(n.value()), unused = own.take(n.value()),
         start = own.take(n.value());
    InverseMasses<R> masses;
    masses.take(own, n.value());
    const R u = normals_and_uniform(stream, n, [&](int i, R z) { v[i] = z; });
    for_each(n, [&](int i) {
      q[i] = start[i] = chain.position[i];
      unused[i] = R(0);
      gradient[i] = chain.gradient[i];
    });
    begin_with_leaves<R>(tuning.leaves, n, q, v, masses);
    const R before = kinetic(n, masses, v);
    Compensated<R> lp = chain.log_density;
    const std::uint32_t count =
        leapfrogs(tuning.trajectory, tuning.step_size, transition, tuning.leapfrog_limit, shortest_jitter(true));
    for (std::uint32_t l = 0; l < count; ++l) {
      Splitting::kick<R>(n, number_of<R>(0.5), tuning, v, gradient);
      if constexpr (mistake == Mistake::one_sided) {
        // The flows of all leaves, then the rest: no palindrome.
        for (int k = 0; k < tuning.leaves.count; ++k)
          detail::leaf_flow<R>(tuning.leaves, k, number_of<R>(1), tuning.step, q, v, masses);
        for_each(
            n, [&](int i) { q[i] = fma(R(Scalar<number_of<R>>(tuning.step[i] * tuning.leaves.rest[i])), v[i], q[i]); });
        begin_with_leaves<R>(tuning.leaves, n, q, unused, masses);
      } else {
        Splitting::drift<R>(n, number_of<R>(1), tuning, q, v, masses);
      }
      lp = evaluate<Request::value_and_gradient, R>(model, n, q, gradient, chain.arena);
      Splitting::kick<R>(n, number_of<R>(0.5), tuning, v, gradient);
    }
    if constexpr (mistake == Mistake::mass_of_the_start) begin_with_leaves<R>(tuning.leaves, n, start, unused, masses);
    const R ratio = lp.minus(chain.log_density) - (kinetic(n, masses, v) - before);
    TransitionInfo<R> made;
    made.acceptance_probability = select(isfinite(ratio), MetropolisRule::probability(ratio), R(0));
    made.accepted = u <= made.acceptance_probability;
    made.evaluations = R(number_of<R>(count));
    for_each(n, [&](int i) {
      chain.gradient[i] = select(made.accepted, gradient[i], chain.gradient[i]);
      chain.position[i] = select(made.accepted, q[i], chain.position[i]);
    });
    accept_where<R>(made.accepted, chain.log_density, lp);
    return made;
  }

 private:
  template <class R, class N, class V>
  static R kinetic(N n, const InverseMasses<R>& masses, const V& v) {
    R sum = R(0);
    for_each(n, [&](int i) {
      sum += R(0.5) * v[i] * v[i] * masses.of[i];
      if constexpr (mistake != Mistake::no_log_determinant) sum += R(-0.5) * log(masses.of[i]);
    });
    return sum;
  }
};

template <template <class> class ModelClass, class Sampler>
ExactTarget with(ExactTarget target) {
  target.model = model_under_test<ModelClass, Sampler>();
  return target;
}

TEST(LeafMasses, leave_targets_invariant) {
  for (const Integrator integrator : {Integrator::leapfrog, Integrator::two_stage}) {
    const Experiment experiment{.sampler = "hmc", .chains = chains, .integrator = integrator, .leaves = true};
    expect_invariant(with<models::Funnel, Hmc<>>(funnel_target()), experiment);
    expect_invariant(with<models::Banana, Hmc<>>(banana_target()), experiment);
  }
}

template <Mistake mistake>
double largest() {
  return test_invariance(with<models::Funnel, CarelessHmc<mistake>>(funnel_target()),
                         {.sampler = "hmc", .precision = Precision::double_precision, .chains = chains, .leaves = true})
      .largest();
}
TEST(LeafMasses, are_caught_where_they_are_wrong) {
  EXPECT_LT(largest<Mistake::none>(), threshold);
  EXPECT_GT(largest<Mistake::no_log_determinant>(), threshold + power_margin);
  EXPECT_GT(largest<Mistake::mass_of_the_start>(), threshold + power_margin);
  EXPECT_GT(largest<Mistake::one_sided>(), threshold + power_margin);
}

}  // namespace
