// kidiq-kidscore_interaction: test scores of children on schooling and IQ of their mothers, from Gelman and Hill
// (2007).
#pragma once

#include "manychain/model/data_reader.hpp"
#include "manychain/model/target.hpp"

namespace manychain::posteriors {

/// kid_score_i ~ N(beta[1] + beta[2] hs_i + beta[3] iq_i + beta[4] hs_i iq_i, sigma); flat beta,
/// sigma ~ half-Cauchy(0, 2.5).
template <class Number>
struct KidscoreInteraction {
  static constexpr int dimension = 5;
  Size<> N;
  View<const Number> kid_score, mom_hs, mom_iq;

  void data(DataReader& in) {
    in("N", N, lower(1));
    in("kid_score", kid_score, N);
    in("mom_hs", mom_hs, N);
    in("mom_iq", mom_iq, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", Size<4>{});
    auto sigma = target.real("sigma", lower(0));
    target += half_cauchy(sigma, 2.5);
    target.observe("kid_score", N, [&](auto i, auto& term) {
      const auto mean = beta[0] + beta[1] * mom_hs[i] + beta[2] * mom_iq[i] + beta[3] * (mom_hs[i] * mom_iq[i]);
      term += normal(kid_score[i], mean, sigma);
    });
  }
};

}  // namespace manychain::posteriors
