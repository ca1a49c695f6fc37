// gp_pois_regr-gp_regr: a Gaussian process with normal noise, its values summed out.
#pragma once

#include "manychain/model.hpp"

/// y ~ N(0, K), K_ij = alpha^2 exp(-(x_i - x_j)^2 / (2 rho^2)) + sigma [i = j]; rho ~ gamma(25, 4), alpha ~ half-N(0,
/// 2), sigma ~ half-N(0, 1).
template <class Number>
struct GpRegr {
  static constexpr int dimension = 3;
  manychain::Size<> N;
  manychain::View<const Number> x, y;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("x", x, N);
    in("y", y, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto rho = target.real("rho", manychain::lower(0));
    auto alpha = target.real("alpha", manychain::lower(0));
    auto sigma = target.real("sigma", manychain::lower(0));
    target += gamma(rho, 25, 4);
    target += half_normal(alpha, 2);
    target += half_normal(sigma, 1);
    target.observe("y", multi_normal(y, 0, add_diagonal(gp_exp_quad_cov(x, alpha, rho), sigma)));
  }
};
