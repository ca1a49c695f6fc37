// earnings-logearn_logheight_male: the logarithm of earnings on that of height, and sex (Gelman and Hill 2007).
#pragma once

#include "manychain/model.hpp"

/// log(earn_i) ~ N(beta[1] + beta[2] log(height_i) + beta[3] male_i, sigma); flat priors.
template <class Number>
struct LogearnLogheightMale {
  static constexpr int dimension = 4;
  manychain::Size<> N;
  manychain::View<const Number> log_earn, log_height, male;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("male", male, N);
    log_height = in.prepared<Number>(N, manychain::Column::log("height"));
    log_earn = in.prepared<Number>(N, manychain::Column::log("earn"));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", manychain::Size<3>{});
    auto sigma = target.real("sigma", manychain::lower(0));
    target.observe("log_earn", normal(log_earn, beta[0] + beta[1] * log_height + beta[2] * male, sigma));
  }
};
