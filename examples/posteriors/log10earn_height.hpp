// earnings-log10earn_height: the decimal logarithm of earnings on height in inches (Gelman and Hill 2007).
#pragma once

#include <cmath>
#include <vector>

#include "manychain/model.hpp"

/// log10(earn_i) ~ N(beta[1] + beta[2] height_i, sigma); flat priors.
template <class Number>
struct Log10earnHeight {
  static constexpr int dimension = 3;
  manychain::Size<> N;
  manychain::View<const Number> log10_earn, height;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("height", height, N);
    std::vector<double> y = in.column(manychain::Column::log("earn"), N.value());
    for (double& of : y) of /= std::log(10.0);
    log10_earn = in.keep<Number>(y, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", manychain::Size<2>{});
    auto sigma = target.real("sigma", manychain::lower(0));
    target.observe("log10_earn", normal(log10_earn, beta[0] + beta[1] * height, sigma));
  }
};
