// kidiq-kidscore_interaction: test scores of children on schooling and IQ of their mothers (Gelman and Hill 2007).
#pragma once

#include "manychain/model.hpp"

/// kid_score ~ N(X beta, sigma), X = 1, hs, iq, hs iq; flat beta, sigma ~ half-Cauchy(0, 2.5).
template <class Number>
struct KidscoreInteraction {
  static constexpr int dimension = 5;
  manychain::Size<> N;
  manychain::View<const Number> kid_score;
  manychain::Matrix<const Number, 4> X;

  void data(manychain::DataReader& in) {
    using manychain::Column;
    in("N", N, manychain::lower(1));
    in("kid_score", kid_score, N);
    X = in.design<Number, 4>(
        N, {Column::ones(), Column::of("mom_hs"), Column::of("mom_iq"), Column::product("mom_hs", "mom_iq")});
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", manychain::Size<4>{});
    auto sigma = target.real("sigma", manychain::lower(0));
    target += half_cauchy(sigma, 2.5);
    target.observe("kid_score", normal(kid_score, X * beta, sigma));
  }
};
