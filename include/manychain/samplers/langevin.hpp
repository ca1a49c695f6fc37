// Langevin samplers: one step of the Euler-Maruyama discretisation of dX = s^2/2 grad log p(X) dt + s dW, with scale s,
//   x' = x + eps/2 s^2 grad log p(x) + sqrt(eps) s z,   z standard normal.
#pragma once

#include "manychain/samplers/parked_state.hpp"
#include "manychain/samplers/sampler.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {
/// c = sqrt(eps) s of component i: Tuning holds eps s.
template <class Number>
MANYCHAIN_HD Number root_step(const StepTuning<Number>& tuning) {
  return Number(1) / std::sqrt(tuning.step_size);
}

/// The Langevin proposal, and log q(x | x') - log q(x' | x) with the gradient there.
template <class R, class N>
struct LangevinMove {
  using Number = number_of<R>;
  N n;
  const Number* step;
  Number inverse_root;
  template <class V>
  MANYCHAIN_HD void propose(const V& from, const V& gradient, V& noise, V& to) const {
    for_each(n, [&](int i) {
      const R c = R(step[i] * inverse_root);
      to[i] = fma(c, fma(R(0.5) * c, gradient[i], noise[i]), from[i]);
    });
  }
  template <class V>
  MANYCHAIN_HD R backward_minus_forward(const V& gradient, const V& noise, const V& gradient_there) const {
    Compensated<R> sum;
    for_each(n, [&](int i) {
      const R c = R(step[i] * inverse_root);
      const R w = fma(R(0.5) * c, gradient[i] + gradient_there[i], noise[i]);  // minus the noise of the way back
      sum.add(R(0.5) * (noise[i] - w) * (noise[i] + w));
    });
    return sum.value();
  }
};

/// With room for three vectors, parks the state and the noise while the gradient is evaluated.
template <class Model, class R, class N, class V, class... F>
MANYCHAIN_HD void park_for_gradient([[maybe_unused]] const Chain<R, N, F...>& chain, [[maybe_unused]] const V& noise) {
  if constexpr (parks_third<Model, number_of<R>>()) {
    park<Model>(chain);
    park_third<Model, R>(chain.dimension, noise);
  }
}
template <class Model, class R, class N, class V, class... F>
MANYCHAIN_HD void unpark_for_ratio([[maybe_unused]] Chain<R, N, F...>& chain, [[maybe_unused]] V& noise) {
  if constexpr (parks_third<Model, number_of<R>>()) {
    unpark_third<Model, R>(chain.dimension, noise);
    unpark_gradient<Model, R>(chain.dimension, chain.gradient);
  }
}
template <class Model, class R, class N, class... F>
MANYCHAIN_HD void unpark_for_decision([[maybe_unused]] Chain<R, N, F...>& chain) {
  if constexpr (parks_third<Model, number_of<R>>()) unpark_position<Model, R>(chain.dimension, chain.position);
}
}  // namespace detail

/// The step that warm-up begins with scales as the best one of a standard normal (Roberts and Rosenthal 1998).
inline double first_langevin_step(double dimension) { return 0.25 * std::pow(dimension, -1.0 / 3); }

/// The Metropolis-adjusted Langevin algorithm (Besag 1994; Roberts and Tweedie 1996): the step as a proposal, corrected
/// for its asymmetry.
template <class Rule = MetropolisRule>
struct Mala {
  static constexpr SamplerInfo info{.name = "mala",
                                    .description = "Metropolis-adjusted Langevin",
                                    .needs = {&Capabilities::density, &Capabilities::gradient},
                                    .tuned = true,
                                    .target_acceptance = 0.574,
                                    .first_step = first_langevin_step,
                                    .continuous = true};
  using Fields = GradientFields;
  template <class Number>
  using Tuning = StepTuning<Number>;
  static constexpr int work_vectors = 3;         // trial position, its gradient, noise
  static constexpr bool parks_in_double = true;  // the state and the noise, while the gradient is evaluated

  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static TransitionInfo<R> transition(const Model& model, Chain<R, N, F...>& chain,
                                                   const Tuning<number_of<R>>& tuning, const Stream<R>& stream,
                                                   std::uint64_t) {
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto q = take_vector(arena, n);
    auto gradient = take_vector(arena, n);
    auto noise = take_vector(arena, n);
    const R u = normals_and_uniform(stream, n, [&](int i, R z) { noise[i] = z; });
    const detail::LangevinMove<R, N> move{n, tuning.step, detail::root_step(tuning)};
    move.propose(chain.position, chain.gradient, noise, q);
    detail::park_for_gradient<Model>(chain, noise);
    const Compensated<R> log_density = evaluate<Request::value_and_gradient, R>(model, n, q, gradient, arena);
    detail::unpark_for_ratio<Model>(chain, noise);
    const R log_ratio =
        log_density.minus(chain.log_density) + move.backward_minus_forward(chain.gradient, noise, gradient);
    detail::unpark_for_decision<Model>(chain);
    const TransitionInfo<R> decided = decide<Rule>(chain, q, log_density, log_ratio, u);
    accept_where<R>(decided.accepted, n, chain.gradient, gradient);
    return decided;
  }
};

/// The unadjusted Langevin algorithm (Parisi 1981; Roberts and Tweedie 1996): every step is taken. BIASED: its
/// stationary distribution differs from the target by the order of the step. A model may know its score alone. The
/// acceptance probability it reports is that of the correction it leaves out (one without a density).
struct Ula {
  static constexpr SamplerInfo info{.name = "ula",
                                    .description = "unadjusted Langevin: biased",
                                    .needs = {&Capabilities::gradient},
                                    .tuned = true,
                                    .target_acceptance = 0.9,
                                    .first_step = first_langevin_step,
                                    .continuous = true,
                                    .exact = false};
  using Fields = GradientFields;
  template <class Number>
  using Tuning = StepTuning<Number>;
  static constexpr int work_vectors = 3;
  static constexpr bool parks_in_double = true;

  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static TransitionInfo<R> transition(const Model& model, Chain<R, N, F...>& chain,
                                                   const Tuning<number_of<R>>& tuning, const Stream<R>& stream,
                                                   std::uint64_t) {
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto q = take_vector(arena, n);
    auto gradient = take_vector(arena, n);
    auto noise = take_vector(arena, n);
    normals_and_uniform(stream, n, [&](int i, R z) { noise[i] = z; });
    const detail::LangevinMove<R, N> move{n, tuning.step, detail::root_step(tuning)};
    move.propose(chain.position, chain.gradient, noise, q);
    detail::park_for_gradient<Model>(chain, noise);
    const Compensated<R> log_density = evaluate<Request::value_and_gradient, R>(model, n, q, gradient, arena);
    detail::unpark_for_ratio<Model>(chain, noise);
    TransitionInfo<R> taken;
    taken.acceptance_probability = R(1);
    if constexpr (gives_density<Model>) {
      const R log_ratio =
          log_density.minus(chain.log_density) + move.backward_minus_forward(chain.gradient, noise, gradient);
      taken.acceptance_probability = MetropolisRule::probability(log_ratio);
    }
    detail::unpark_for_decision<Model>(chain);
    mask_of<R> finite = isfinite(log_density.sum);
    for_each(n, [&](int i) { finite = finite && isfinite(R(q[i])) && isfinite(R(gradient[i])); });
    taken.divergent = !finite;  // the step is not taken
    taken.accepted = finite;
    accept_where<R>(finite, n, chain.position, q);
    accept_where<R>(finite, n, chain.gradient, gradient);
    accept_where<R>(finite, chain.log_density, log_density);
    taken.energy = -chain.log_density.value();
    return taken;
  }
};

/// Stochastic gradient Langevin dynamics (Welling and Teh 2011): the step with an estimate of the gradient from
/// `minibatch` data terms, each chain its own, and a step eps_t = a (b + t)^-gamma. BIASED at a step that does not
/// vanish. The log density is never evaluated, and reported as zero.
struct Sgld {
  static constexpr SamplerInfo info{.name = "sgld",
                                    .description = "stochastic gradient Langevin: biased",
                                    .needs = {&Capabilities::density, &Capabilities::gradient, &Capabilities::terms},
                                    .continuous = true,
                                    .exact = false,
                                    .schedule = true};
  using Fields = DensityFields;  // no gradient is kept
  static constexpr bool leaves_no_density = true;
  template <class Number>
  using Tuning = ScheduleTuning<Number>;
  static constexpr int work_vectors = 2;

  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static TransitionInfo<R> transition(const Model& model, Chain<R, N, F...>& chain,
                                                   const Tuning<number_of<R>>& tuning, const Stream<R>& stream,
                                                   std::uint64_t transition) {
    using Number = number_of<R>;
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto gradient = take_vector(arena, n);
    auto q = take_vector(arena, n);
    const Number t = Number(tuning.schedule.b + double(transition));
    const Number eps = Number(tuning.schedule.a) * std::pow(t, -Number(tuning.schedule.gamma));
    if (tuning.minibatch > 0)
      evaluate_minibatch<R>(model, n, chain.position, gradient, arena, stream, tuning.minibatch);
    else
      evaluate<Request::gradient, R>(model, n, chain.position, gradient, arena);
    const R half = R(Number(0.5) * eps), root = R(std::sqrt(eps));
    mask_of<R> finite = R(0) == R(0);
    normals_and_uniform(stream, n, [&](int i, R z) {
      q[i] = fma(half, gradient[i], fma(root, z, chain.position[i]));
      finite = finite && isfinite(R(q[i]));
    });
    accept_where<R>(finite, n, chain.position, q);
    TransitionInfo<R> taken;
    taken.accepted = finite;
    taken.divergent = !finite;
    taken.acceptance_probability = R(1);
    taken.energy = R(0);
    chain.log_density = Compensated<R>();
    return taken;
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
