// Hierarchies for bench/hierarchies/table.py and errors.py, centred where their names say nothing else; those with more
// structure are in structured.hpp. data/README.md says where the data are from.
#pragma once

#include "manychain/model.hpp"

/// Neal's funnel in 11 dimensions.
template <class Number>
struct Funnel {
  void data(manychain::DataReader&) {}
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto omega = target.real("omega");
    auto x = target.vector("x", 10);
    target += normal(omega, 0, 3);
    target += normal(x, 0, exp(omega / 2));
  }
};

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
    auto tau = target.real("tau", manychain::lower(0));
    auto mu = target.real("mu");
    auto theta = target.vector("theta", J);
    target += normal(mu, 0, 5) + half_cauchy(tau, 5);
    target += normal(theta, mu, tau);
    target.observe("y", normal(y, theta, sigma));
  }
};

template <class Number>
struct RandomSlopes {
  manychain::Size<> J, P;
  manychain::Matrix<const Number> X, y;
  void data(manychain::DataReader& in) {
    in("J", J);
    in("P", P);
    in("X", X, J, P);
    in("y", y, J, P);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu_a = target.real("mu_a");
    auto mu_b = target.real("mu_b");
    auto tau_a = target.real("tau_a", manychain::lower(0));
    auto tau_b = target.real("tau_b", manychain::lower(0));
    auto a = target.vector("a", J);
    auto b = target.vector("b", J);
    target += normal(mu_a, 0, 5) + normal(mu_b, 0, 5) + half_normal(tau_a, 1) + half_normal(tau_b, 1);
    target += normal(a, mu_a, tau_a) + normal(b, mu_b, tau_b);
    target.observe("y", J, [&](int j, auto& term) {
      for (int p = 0; p < P.value(); ++p) term += normal(y[j][p], a[j] + b[j] * X[j][p], 1);
    });
  }
};

/// Two hypers a leaf.
template <class Number>
struct Horseshoe {
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
    auto tau = target.real("tau", manychain::lower(0));
    auto lambda = target.vector("lambda", P, manychain::lower(0));
    auto beta = target.vector("beta", P);
    target += half_cauchy(tau, 1) + half_cauchy(lambda, 1);
    target += normal(beta, 0, tau * lambda);
    target.observe("y", normal(y, X * beta, 1));
  }
};

template <class Number>
struct StochasticVolatility {
  manychain::Size<> T;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("T", T);
    in("y", y, T);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto phi = target.real("phi", manychain::interval(-1, 1));
    auto sigma = target.real("sigma", manychain::lower(0));
    auto h = target.vector("h", T);
    target += normal(mu, 0, 2) + half_normal(sigma, 1) + uniform(phi, -1, 1);
    target += normal(h[0], mu, sigma / sqrt(1 - phi * phi));
    for (int t = 1; t < T.value(); ++t) target += normal(h[t], mu + phi * (h[t - 1] - mu), sigma);
    target.observe("y", normal(y, 0, exp(0.5 * h)));
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
    target += normal(mu, 0, 5) + half_cauchy(tau, 5) + half_cauchy(sigma, 5);
    target += normal(theta, mu, tau);
    target.observe("y", N, [&](int i, auto& term) { term += normal(y[i], theta[g[i] - 1], sigma); });
  }
};

/// Groups with its effects in units of their sd.
template <class Number>
struct GroupsNonCentred {
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
    auto theta = target.vector("theta", J, manychain::offset_multiplier(mu, tau));
    target += normal(mu, 0, 5) + half_cauchy(tau, 5) + half_cauchy(sigma, 5);
    target += normal(theta, mu, tau);
    target.observe("y", N, [&](int i, auto& term) { term += normal(y[i], theta[g[i] - 1], sigma); });
  }
};

template <class Number>
struct RandomSlopesNonCentred {
  manychain::Size<> J, P;
  manychain::Matrix<const Number> X, y;
  void data(manychain::DataReader& in) {
    in("J", J);
    in("P", P);
    in("X", X, J, P);
    in("y", y, J, P);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu_a = target.real("mu_a");
    auto mu_b = target.real("mu_b");
    auto tau_a = target.real("tau_a", manychain::lower(0));
    auto tau_b = target.real("tau_b", manychain::lower(0));
    auto a = target.vector("a", J, manychain::offset_multiplier(mu_a, tau_a));
    auto b = target.vector("b", J, manychain::offset_multiplier(mu_b, tau_b));
    target += normal(mu_a, 0, 5) + normal(mu_b, 0, 5) + half_normal(tau_a, 1) + half_normal(tau_b, 1);
    target += normal(a, mu_a, tau_a) + normal(b, mu_b, tau_b);
    target.observe("y", J, [&](int j, auto& term) {
      for (int p = 0; p < P.value(); ++p) term += normal(y[j][p], a[j] + b[j] * X[j][p], 1);
    });
  }
};
