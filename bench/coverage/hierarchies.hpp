// Hierarchies for bench/coverage/table.py: few groups, non-centred effects, correlated slopes, item response.
#pragma once

#include "manychain/model.hpp"

/// Five groups whose scale is often close to zero, in the centred form.
template <class Number>
struct FewGroups {
  manychain::Size<> N, J;
  manychain::View<const int> g;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("J", J);
    in("g", g, N, manychain::integer(1, J));
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto tau = target.real("tau", manychain::lower(0));
    auto sigma = target.real("sigma", manychain::lower(0));
    auto theta = target.vector("theta", J);
    target += normal(mu, 0, 2) + exponential(tau, 3) + lognormal(sigma, 0, 0.5);
    target += normal(theta, mu, tau);
    target.observe("y", N, [&](auto i, auto& term) { term += normal(y[i], theta[g[i] - 1], sigma); });
    target.predict("y_rep", N, [&](int i) { return normal_distribution(theta[g[i] - 1], sigma); });
  }
};

/// Successes of trials in clinics, non-centred.
template <class Number>
struct Clinics {
  manychain::Size<> J;
  manychain::View<const int> n, y;
  void data(manychain::DataReader& in) {
    in("J", J);
    in("n", n, J, manychain::integer(1));
    in("y", y, J, manychain::integer(0));
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto tau = target.real("tau", manychain::lower(0));
    auto theta = target.vector("theta", J, manychain::offset_multiplier(mu, tau));
    target += normal(mu, 0, 1.5) + half_normal(tau, 1);
    target += normal(theta, mu, tau);
    target.observe("y", binomial_logit(y, n, theta));
  }
};

/// Intercepts and slopes of groups, with a correlation between them.
template <class Number>
struct Slopes {
  manychain::Size<> N, J;
  manychain::View<const int> g;
  manychain::View<const Number> x, y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("J", J);
    in("g", g, N, manychain::integer(1, J));
    in("x", x, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.vector("mu", 2);
    auto tau = target.vector("tau", 2, manychain::lower(0));
    auto sigma = target.real("sigma", manychain::lower(0));
    auto L = target.cholesky_corr("L", 2);
    auto z = target.matrix("z", J, 2);
    target += normal(mu, 0, 1) + half_normal(tau, 1) + half_normal(sigma, 1);
    target += lkj_corr_cholesky(L, 2) + normal(z, 0, 1);
    target.observe("y", N, [&](int i, auto& term) {
      const int j = g[i] - 1;
      term += normal(y[i], mu[0] + tau[0] * z[j][0] + (mu[1] + tau[1] * (L[1][0] * z[j][0] + L[1][1] * z[j][1])) * x[i],
                     sigma);
    });
    target.derived("rho", L[1][0]);
  }
};

/// Item response with two parameters of each item.
template <class Number>
struct Items {
  manychain::Size<> J, K;
  manychain::Matrix<const int> y;
  void data(manychain::DataReader& in) {
    in("J", J);
    in("K", K);
    in("y", y, J, K, manychain::integer(0, 1));
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto ability = target.vector("ability", J);
    auto difficulty = target.vector("difficulty", K);
    auto discrimination = target.vector("discrimination", K, manychain::lower(0));
    target += normal(ability, 0, 1);
    target += normal(difficulty, 0, 1) + lognormal(discrimination, 0, 0.5);
    target.observe("y", J, [&](int j, auto& term) {
      for (int k = 0; k < K.value(); ++k)
        term += bernoulli_logit(y[j][k], discrimination[k] * (ability[j] - difficulty[k]));
    });
  }
};
