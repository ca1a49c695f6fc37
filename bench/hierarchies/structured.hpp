// Hierarchies of several levels, with correlations and in space, for bench/hierarchies/errors.py.
#pragma once

#include "manychain/model.hpp"

/// Houses in counties, each with an intercept and a slope, and a correlation of the two (Gelman and Hill 2007, 13.1).
template <class Number>
struct Radon {
  manychain::Size<> N, J;
  manychain::View<const int> county;
  manychain::View<const Number> floor, y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("J", J);
    in("county", county, N, manychain::integer(1, J));
    in("floor", floor, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.vector("mu", 2);
    auto tau = target.vector("tau", 2, manychain::lower(0));
    auto L = target.cholesky_corr("L", 2);
    auto sigma = target.real("sigma", manychain::lower(0));
    auto ab = target.matrix("ab", J, 2);
    target += normal(mu, 0, 5) + half_normal(tau, 1);
    target += half_normal(sigma, 1) + lkj_corr_cholesky(L, 2);
    target += multi_normal_cholesky(ab, mu, diag_pre_multiply(tau, L));
    target.observe("y", N, [&](auto i, auto& term) {
      term += normal(y[i], ab[county[i] - 1][0] + ab[county[i] - 1][1] * floor[i], sigma);
    });
  }
};

/// Pupils in rooms in schools.
template <class Number>
struct ThreeLevels {
  manychain::Size<> S, C, N;
  manychain::View<const int> school, room;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("S", S);
    in("C", C);
    in("N", N);
    in("school", school, C, manychain::integer(1, S));
    in("room", room, N, manychain::integer(1, C));
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto tau_school = target.real("tau_school", manychain::lower(0));
    auto tau_room = target.real("tau_room", manychain::lower(0));
    auto sigma = target.real("sigma", manychain::lower(0));
    auto a = target.vector("a", S);
    auto b = target.vector("b", C);
    target += normal(mu, 50, 20) + half_normal(tau_school, 10) + half_normal(tau_room, 10) + half_normal(sigma, 10);
    target += normal(a, mu, tau_school);
    for (int c = 0; c < C.value(); ++c) target += normal(b[c], a[school[c] - 1], tau_room);
    target.observe("y", N, [&](auto i, auto& term) { term += normal(y[i], b[room[i] - 1], sigma); });
  }
};

/// Its values are parameters.
template <class Number>
struct GaussianProcess {
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
    auto f = target.vector("f", N);
    target += inverse_gamma(rho, 5, 5) + half_normal(alpha, 2) + half_normal(sigma, 1);
    target += multi_normal(f, 0, add_diagonal(gp_exp_quad_cov(x, alpha, rho), 1e-6));
    target.observe("y", normal(y, f, sigma));
  }
};

/// A rougher one, whose covariance is far from singular.
template <class Number>
struct RoughGaussianProcess {
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
    auto f = target.vector("f", N);
    target += inverse_gamma(rho, 5, 5) + half_normal(alpha, 2) + half_normal(sigma, 1);
    target += multi_normal(f, 0, gp_matern32_cov(x, alpha, rho));
    target.observe("y", normal(y, f, sigma));
  }
};

/// Counts in districts: effects of which a share rho has a structure in space (Riebler and others 2016), as Morris and
/// others (2019) write it, with a soft constraint on the sum of the ICAR effects.
template <class Number>
struct Bym2 {
  manychain::Size<> N, K;
  manychain::View<const int> node1, node2;
  manychain::View<const Number> y, expected, x;
  manychain::Scalar<Number> scaling;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("K", K);
    in("node1", node1, K, manychain::integer(1, N));
    in("node2", node2, K, manychain::integer(1, N));
    in("y", y, N);
    in("expected", expected, N);
    in("x", x, N);
    in("scaling", scaling);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta0 = target.real("beta0");
    auto beta1 = target.real("beta1");
    auto sigma = target.real("sigma", manychain::lower(0));
    auto rho = target.real("rho", manychain::interval(0, 1));
    auto theta = target.vector("theta", N);
    auto phi = target.vector("phi", N);
    target += normal(beta0, 0, 1) + normal(beta1, 0, 1) + half_normal(sigma, 1) + beta(rho, 0.5, 0.5);
    target += normal(theta, 0, 1);
    target.sum_over(K, [&](int k, auto& term) { term += -0.5 * square(phi[node1[k] - 1] - phi[node2[k] - 1]); });
    target += normal(sum(phi), 0, 0.001 * N.value());
    auto a = let(sigma * sqrt(1 - rho));
    auto b = let(sigma * sqrt(rho / scaling));
    target.observe("y", poisson_log(y, log(expected) + beta0 + beta1 * x + a * theta + b * phi));
  }
};
