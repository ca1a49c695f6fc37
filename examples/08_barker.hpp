// A sampler of one's own: Barker's proposal (Livingstone and Zanella 2022, J. R. Stat. Soc. B 84, 496-523). Each
// component is moved by a normal variate or by its negative, more often in the direction of the gradient. It stands a
// step size that is too large better than a Langevin step does.
#pragma once

#include <cmath>

#include "08_robbins_monro.hpp"
#include "manychain/adaptation/list.hpp"
#include "manychain/samplers/list.hpp"

/// The proposal of one component, of chains in R. A class of its own, so that a test can put a wrong one in its place.
struct BarkerMove {
  /// w = z with probability 1 / (1 + exp(-z gradient)), else -z. `u`: uniform on (0, 1].
  template <class R>
  MANYCHAIN_HD static R signed_move(R z, R gradient, R u) {
    return select(u <= inv_logit(z * gradient), z, -z);
  }
  /// log q(x | x') - log q(x' | x) with x' = x + w: the normal density of w cancels.
  template <class R>
  MANYCHAIN_HD static R backward_minus_forward(R w, R gradient, R gradient_there) {
    return log1p_exp(-w * gradient) - log1p_exp(w * gradient_there);
  }
};

template <class Move = BarkerMove>
struct Barker {
  static double first_step(double dimension) { return std::pow(dimension, -1.0 / 6); }
  // The acceptance rate is the best one in high dimensions (Vogrinc, Livingstone and Zanella 2023, Biometrika 110).
  static constexpr manychain::SamplerInfo info{
      .name = "barker",
      .description = "Metropolis-Hastings with Barker's proposal",
      .needs = {&manychain::Capabilities::density, &manychain::Capabilities::gradient},
      .tuned = true,
      .target_acceptance = 0.574,
      .first_step = first_step,
      .continuous = true,
      .brings_adaptations = true,
      .draws_from = manychain::DrawsFrom::components};
  using Fields = manychain::GradientFields;
  template <class Number>
  using Tuning = manychain::StepTuning<Number>;
  using Adaptations = manychain::AdaptationList<RobbinsMonro, manychain::Windowed>;
  static constexpr int work_vectors = 3;  // move, proposal, the gradient there

  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static manychain::TransitionInfo<R> transition(const Model& model, manychain::Chain<R, N, F...>& chain,
                                                              const Tuning<manychain::number_of<R>>& tuning,
                                                              const manychain::Stream<R>& stream, std::uint64_t) {
    const N n = chain.dimension;
    manychain::Arena<R> arena = chain.arena;
    auto move = take_vector(arena, n);
    auto proposal = take_vector(arena, n);
    auto gradient = take_vector(arena, n);

    manychain::Variates<R> variates(stream);
    for_each(n, [&](int i) {
      const R z = R(tuning.step[i]) * variates.normal();
      move[i] = Move::signed_move(z, R(chain.gradient[i]), variates.uniform());
      proposal[i] = chain.position[i] + move[i];
    });
    const manychain::Compensated<R> log_density =
        manychain::evaluate<manychain::Request::value_and_gradient, R>(model, n, proposal, gradient, arena);

    manychain::Compensated<R> correction;
    for_each(n, [&](int i) {
      correction.add(Move::backward_minus_forward(R(move[i]), R(chain.gradient[i]), R(gradient[i])));
    });
    const R log_ratio = log_density.minus(chain.log_density) + correction.value();
    const auto info =
        manychain::decide<manychain::MetropolisRule>(chain, proposal, log_density, log_ratio, variates.uniform());
    manychain::accept_where<R>(info.accepted, n, chain.gradient, gradient);
    return info;
  }
};
