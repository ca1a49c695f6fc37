// Models with proper priors, for bench/coverage/table.py: hierarchies in their centred form, and two regressions.
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Schools {
  manychain::Size<> J;
  manychain::View<const Number> y, sigma;
  void data(manychain::DataReader& in) {
    in("J", J);
    in("y", y, J);
    in("sigma", sigma, J);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto tau = target.real("tau", manychain::lower(0));
    auto theta = target.vector("theta", J);
    target += normal(mu, 0, 5) + half_normal(tau, 5);
    target += normal(theta, mu, tau);
    target.observe("y", normal(y, theta, sigma));
  }
};

template <class Number>
struct Groups {
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
    target += normal(mu, 0, 2) + half_normal(tau, 1) + half_normal(sigma, 1);
    target += normal(theta, mu, tau);
    target.observe("y", N, [&](int i, auto& term) { term += normal(y[i], theta[g[i] - 1], sigma); });
  }
};

template <class Number>
struct Linear {
  manychain::Size<> N, P;
  manychain::Matrix<const Number> X;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("P", P);
    in("X", X, N, P);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", P);
    auto sigma = target.real("sigma", manychain::lower(0));
    target += normal(beta, 0, 1) + half_normal(sigma, 1);
    target.observe("y", normal(y, X * beta, sigma));
  }
};

template <class Number>
struct Logistic {
  manychain::Size<> N, P;
  manychain::Matrix<const Number> X;
  manychain::View<const int> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("P", P);
    in("X", X, N, P);
    in("y", y, N, manychain::integer(0, 1));
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", P);
    target += normal(beta, 0, 1);
    target.observe("y", bernoulli_logit(y, X * beta));
  }
};
