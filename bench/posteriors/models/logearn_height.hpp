// earnings-logearn_height: the logarithm of earnings on height, from Gelman and Hill (2007).
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "manychain/model/data_reader.hpp"
#include "manychain/model/target.hpp"

namespace manychain::posteriors {

/// log(earn_i) ~ N(beta[1] + beta[2] height_i, sigma); flat priors.
template <class Number>
struct LogearnHeight {
  static constexpr int dimension = 3;
  Size<> N;
  View<const Number> log_earn, height;

  void data(DataReader& in) {
    in("N", N, lower(1));
    std::vector<double> earn = in.values("earn", std::vector<std::size_t>{static_cast<std::size_t>(N.value())});
    for (double& x : earn) x = std::log(x);
    log_earn = in.keep<Number>(earn, N);
    in("height", height, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", Size<2>{});
    auto sigma = target.real("sigma", lower(0));
    target.observe("log_earn", N,
                   [&](auto i, auto& term) { term += normal(log_earn[i], beta[0] + beta[1] * height[i], sigma); });
  }
};

}  // namespace manychain::posteriors
