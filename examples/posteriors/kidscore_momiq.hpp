// kidiq-kidscore_momiq: test scores of children on the IQ of their mothers (Gelman and Hill 2007).
#pragma once

#include "manychain/model.hpp"

/// kid_score_i ~ N(beta[1] + beta[2] mom_iq_i, sigma); flat beta, sigma ~ half-Cauchy(0, 2.5).
template <class Number>
struct KidscoreMomiq {
  static constexpr int dimension = 3;
  manychain::Size<> N;
  manychain::View<const Number> kid_score, mom_iq;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("kid_score", kid_score, N);
    in("mom_iq", mom_iq, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", manychain::Size<2>{});
    auto sigma = target.real("sigma", manychain::lower(0));
    target += half_cauchy(sigma, 2.5);
    target.observe("kid_score", normal(kid_score, beta[0] + beta[1] * mom_iq, sigma));
  }
};
