// low_dim_gauss_mix-low_dim_gauss_mix: a mixture of two normal distributions, the labels summed out.
#pragma once

#include "manychain/model.hpp"

/// y_n ~ theta N(mu[1], sigma[1]) + (1 - theta) N(mu[2], sigma[2]), mu[1] < mu[2]; sigma ~ half-N(0, 2),
/// mu ~ N(0, 2), theta ~ beta(5, 5).
template <class Number>
struct GaussMix {
  static constexpr int dimension = 5;
  manychain::Size<> N;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("y", y, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.ordered("mu", manychain::Size<2>{});
    auto sigma = target.vector("sigma", manychain::Size<2>{}, manychain::lower(0));
    auto theta = target.real("theta", manychain::interval(0, 1));
    target += half_normal(sigma, 2);
    target += normal(mu, 0, 2);
    target += beta(theta, 5, 5);
    target.observe("y", N, [&](auto n, auto& term) {
      term += log_mix(theta, normal(y[n], mu[0], sigma[0]), normal(y[n], mu[1], sigma[1]));
    });
  }
};
