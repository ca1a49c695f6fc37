// earnings-logearn_height: the logarithm of earnings on height in inches (Gelman and Hill 2007).
#pragma once

#include "manychain/model.hpp"

/// log(earn_i) ~ N(beta[1] + beta[2] height_i, sigma); flat priors.
template <class Number>
struct LogearnHeight {
  static constexpr int dimension = 3;
  manychain::Size<> N;
  manychain::View<const Number> log_earn, height;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("height", height, N);
    log_earn = in.prepared<Number>(N, manychain::Column::log("earn"));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", manychain::Size<2>{});
    auto sigma = target.real("sigma", manychain::lower(0));
    target.observe("log_earn", normal(log_earn, beta[0] + beta[1] * height, sigma));
  }
};
