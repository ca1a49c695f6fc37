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

/// ErrorsInBoth with x integrated out.
template <class Number>
struct ErrorsInBothReference {
  manychain::Size<> N;
  manychain::View<const Number> x_observed, y;
  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("x_observed", x_observed, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto a = target.real("a");
    auto b = target.real("b");
    auto mu = target.real("mu");
    auto tau = target.real("tau", manychain::lower(0));
    auto sx = target.real("sx", manychain::lower(0));
    auto sy = target.real("sy", manychain::lower(0));
    target += normal(a, 0, 5) + normal(b, 0, 2) + normal(mu, 0, 5);
    target += half_normal(tau, 2) + half_normal(sx, 1) + half_normal(sy, 1);
    auto variance = let(square(tau) + square(sx)), slope = let(b * square(tau) / variance);
    auto sd = let(sqrt(square(b) * square(tau) * square(sx) / variance + square(sy)));
    target.observe("x_observed", normal(x_observed, mu, sqrt(variance)));
    target.observe("y", normal(y, a + b * mu + slope * (x_observed - mu), sd));
  }
};

/// Factor with the factor integrated out: each item given those before it, as in a Kalman filter.
template <class Number>
struct FactorReference {
  manychain::Size<> N;
  manychain::Matrix<const Number> y;
  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("y", y, N, manychain::Size<4>{});
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto lambda = target.vector("lambda", manychain::Size<4>{}, manychain::lower(0));
    auto psi = target.vector("psi", manychain::Size<4>{}, manychain::lower(0));
    target += half_normal(lambda, 2) + half_normal(psi, 2);
    // Variances of an item and of the factor, and gains.
    auto v0 = let(square(lambda[0]) + square(psi[0])), p0 = let(square(psi[0]) / v0), k0 = let(lambda[0] / v0);
    auto v1 = let(square(lambda[1]) * p0 + square(psi[1])), p1 = let(p0 * square(psi[1]) / v1);
    auto v2 = let(square(lambda[2]) * p1 + square(psi[2])), p2 = let(p1 * square(psi[2]) / v2);
    auto k1 = let(p0 * lambda[1] / v1), k2 = let(p1 * lambda[2] / v2);
    auto v3 = let(square(lambda[3]) * p2 + square(psi[3]));
    target.observe("y", N, [&](int i, auto& term) {
      auto m0 = let(k0 * y[i][0]);
      auto m1 = let(m0 + k1 * (y[i][1] - lambda[1] * m0));
      auto m2 = let(m1 + k2 * (y[i][2] - lambda[2] * m1));
      term += normal(y[i][0], 0, sqrt(v0)) + normal(y[i][1], lambda[1] * m0, sqrt(v1));
      term += normal(y[i][2], lambda[2] * m1, sqrt(v2)) + normal(y[i][3], lambda[3] * m2, sqrt(v3));
    });
  }
};
