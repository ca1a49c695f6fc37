// earnings-logearn_interaction_z: the logarithm of earnings on standardised height, sex and their product (Gelman
// and Hill 2007).
#pragma once

#include <cmath>
#include <vector>

#include "manychain/model.hpp"

/// log(earn_i) ~ N(beta[1] + beta[2] z_i + beta[3] male_i + beta[4] z_i male_i, sigma), z = (height - mean) / sd, that
/// with N - 1 in the denominator; flat priors.
template <class Number>
struct LogearnInteractionZ {
  static constexpr int dimension = 5;
  manychain::Size<> N;
  manychain::View<const Number> log_earn, z, male;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("male", male, N);
    std::vector<double> height = in.column(manychain::Column::standardised("height"), N.value());
    for (double& of : height) of *= std::sqrt((N.value() - 1.0) / N.value());  // that sd has N in the denominator
    z = in.keep<Number>(height, N);
    log_earn = in.prepared<Number>(N, manychain::Column::log("earn"));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", manychain::Size<4>{});
    auto sigma = target.real("sigma", manychain::lower(0));
    target.observe("log_earn", normal(log_earn, beta[0] + beta[1] * z + (beta[2] + beta[3] * z) * male, sigma));
  }
};
