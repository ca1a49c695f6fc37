// Models of vectors for bench/coverage/table.py: a Gaussian process, an unknown covariance.
#pragma once

#include "manychain/model.hpp"

/// A smooth function with noise.
template <class Number>
struct Process {
  manychain::Size<> N;
  manychain::View<const Number> x, y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("x", x, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto rho = target.real("rho", manychain::lower(0));
    auto alpha = target.real("alpha", manychain::lower(0));
    auto sigma = target.real("sigma", manychain::lower(0));
    target += inverse_gamma(rho, 5, 5) + half_normal(alpha, 1) + half_normal(sigma, 0.5);
    target.observe("y", multi_normal(y, 0, add_diagonal(gp_exp_quad_cov(x, alpha, rho), square(sigma))));
  }
};

/// Rows of a multivariate normal distribution whose means, scales and correlations are unknown.
template <class Number>
struct Covariance {
  manychain::Size<> N, K;
  manychain::Matrix<const Number> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("K", K);
    in("y", y, N, K);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.vector("mu", K);
    auto tau = target.vector("tau", K, manychain::lower(0));
    auto L = target.cholesky_corr("L", K);
    target += normal(mu, 0, 1) + half_normal(tau, 1);
    target += lkj_corr_cholesky(L, 1);
    auto scale = target.let(diag_pre_multiply(tau, L));
    target.observe("y", multi_normal_cholesky(y, mu, scale));
  }
};
