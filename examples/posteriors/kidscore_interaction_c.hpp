// kidiq_with_mom_work-kidscore_interaction_c: test scores of children on schooling and IQ of their mothers, centred
// (Gelman and Hill 2007).
#pragma once

#include "manychain/model.hpp"

/// kid_score ~ N(X beta, sigma), X = 1, hs, iq, hs iq, where hs and iq are less their means. Flat priors.
template <class Number>
struct KidscoreInteractionC {
  static constexpr int dimension = 5;
  manychain::Size<> N;
  manychain::View<const Number> kid_score;
  manychain::Matrix<const Number, 4> X;

  void data(manychain::DataReader& in) {
    using manychain::Column;
    const Column hs = Column::centred("mom_hs"), iq = Column::centred("mom_iq");
    in("N", N, manychain::lower(1));
    in("kid_score", kid_score, N);
    X = in.design<Number, 4>(N, {Column::ones(), hs, iq, hs * iq});
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", manychain::Size<4>{});
    auto sigma = target.real("sigma", manychain::lower(0));
    target.observe("kid_score", normal(kid_score, X * beta, sigma));
  }
};
