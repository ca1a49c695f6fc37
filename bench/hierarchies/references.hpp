// Posteriors of models.hpp and structured.hpp in forms that sample well, for long runs (errors.py). What these record
// has the names of those.
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct HorseshoeReference {
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
    auto z = target.vector("z", P);
    target += half_cauchy(tau, 1) + half_cauchy(lambda, 1);
    target += normal(z, 0, 1);
    auto beta = target.let(tau * lambda * z);
    target.observe("y", normal(y, X * beta, 1));
    target.derived("beta", beta);
  }
};

template <class Number>
struct StochasticVolatilityReference {
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
    auto z = target.vector("z", T);
    target += normal(mu, 0, 2) + half_normal(sigma, 1) + uniform(phi, -1, 1);
    target += normal(z, 0, 1);
    auto h = target.scan(T, mu + sigma / sqrt(1 - phi * phi) * z[0],
                         [&](int t, const auto& before) { return mu + phi * (before - mu) + sigma * z[t]; });
    target.observe("y", normal(y, 0, exp(0.5 * h)));
    target.derived("h", h);
  }
};

/// basis: what standard normals become ICAR effects by, the soft constraint included; errors.py computes it.
template <class Number>
struct Bym2Reference {
  manychain::Size<> N;
  manychain::View<const Number> y, expected, x;
  manychain::Matrix<const Number> basis;
  manychain::Scalar<Number> scaling;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("y", y, N);
    in("expected", expected, N);
    in("x", x, N);
    in("basis", basis, N, N);
    in("scaling", scaling);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta0 = target.real("beta0");
    auto beta1 = target.real("beta1");
    auto sigma = target.real("sigma", manychain::lower(0));
    auto rho = target.real("rho", manychain::interval(0, 1));
    auto theta = target.vector("theta", N);
    auto z = target.vector("z", N);
    target += normal(beta0, 0, 1) + normal(beta1, 0, 1) + half_normal(sigma, 1) + beta(rho, 0.5, 0.5);
    target += normal(theta, 0, 1) + normal(z, 0, 1);
    auto phi = target.let(basis * z);
    auto a = let(sigma * sqrt(1 - rho));
    auto b = let(sigma * sqrt(rho / scaling));
    target.observe("y", poisson_log(y, log(expected) + beta0 + beta1 * x + a * theta + b * phi));
    target.derived("phi", phi);
  }
};
