// earnings-logearn_interaction: the logarithm of earnings on height in inches, sex and their product (Gelman and Hill
// 2007, posteriordb).
#pragma once

#include "manychain/model.hpp"

/// log(earn_i) ~ N(beta[1] + beta[2] height_i + beta[3] male_i + beta[4] height_i male_i, sigma); flat priors.
template <class Number>
struct LogearnInteraction {
  static constexpr int dimension = 5;
  manychain::Size<> N;
  manychain::View<const Number> log_earn, height, male;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("height", height, N);
    in("male", male, N);
    log_earn = in.prepared<Number>(N, manychain::Column::log("earn"));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", manychain::Size<4>{});
    auto sigma = target.real("sigma", manychain::lower(0));
    target.observe("log_earn",
                   normal(log_earn, beta[0] + beta[1] * height + (beta[2] + beta[3] * height) * male, sigma));
  }
};
