// kidiq_with_mom_work-kidscore_interaction_z: test scores of children on schooling and IQ of their mothers,
// standardised (Gelman and Hill 2007).
#pragma once

#include <cmath>
#include <vector>

#include "manychain/model.hpp"

/// kid_score_i ~ N(beta[1] + beta[2] hs_i + beta[3] iq_i + beta[4] hs_i iq_i, sigma), where hs and iq are less their
/// means and divided by two standard deviations, those with N - 1 in the denominator. Flat priors.
template <class Number>
struct KidscoreInteractionZ {
  static constexpr int dimension = 5;
  manychain::Size<> N;
  manychain::View<const Number> kid_score, hs, iq;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("kid_score", kid_score, N);
    const double scale = 0.5 * std::sqrt((N.value() - 1.0) / N.value());  // standardised() has N in the denominator
    const auto scaled = [&](const char* name) {
      std::vector<double> x = in.column(manychain::Column::standardised(name), N.value());
      for (double& of : x) of *= scale;
      return x;
    };
    hs = in.keep<Number>(scaled("mom_hs"), N);
    iq = in.keep<Number>(scaled("mom_iq"), N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", manychain::Size<4>{});
    auto sigma = target.real("sigma", manychain::lower(0));
    target.observe("kid_score", normal(kid_score, beta[0] + beta[1] * hs + (beta[2] + beta[3] * hs) * iq, sigma));
  }
};
