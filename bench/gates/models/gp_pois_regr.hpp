// gp_pois_regr-gp_pois_regr: counts whose log rate is a Gaussian process (posteriordb).
#pragma once

#include "manychain/model.hpp"

/// k_i ~ Poisson(exp(f_i)), f = L f_tilde, L L' = K, K_ij = alpha^2 exp(-(x_i - x_j)^2 / (2 rho^2)) + 1e-10 [i = j];
/// rho ~ gamma(25, 4), alpha ~ half-N(0, 2), f_tilde ~ N(0, 1).
template <class Number>
struct GpPoisRegr {
  manychain::Size<> N;
  manychain::View<const Number> x;
  manychain::View<const int> k;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("x", x, N);
    in("k", k, N, manychain::lower(0));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto rho = target.real("rho", manychain::lower(0));
    auto alpha = target.real("alpha", manychain::lower(0));
    auto f_tilde = target.vector("f_tilde", N);
    target += gamma(rho, 25, 4);
    target += half_normal(alpha, 2);
    target += normal(f_tilde, 0, 1);
    auto L = target.cholesky(add_diagonal(gp_exp_quad_cov(x, alpha, rho), 1e-10));
    auto f = target.let(L * f_tilde);
    target.derived("f", f);
    target.observe("k", poisson_log(k, f));
  }
};
