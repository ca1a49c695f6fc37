// Regressions for bench/coverage/table.py: heavy tails, ordered answers, censored times, growth, many predictors.
#pragma once

#include "manychain/model.hpp"

/// A line with outliers: Student's t of unknown degrees of freedom.
template <class Number>
struct Robust {
  manychain::Size<> N;
  manychain::View<const Number> x, y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("x", x, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto alpha = target.real("alpha");
    auto beta = target.real("beta");
    auto sigma = target.real("sigma", manychain::lower(0));
    auto nu = target.real("nu", manychain::lower(1));
    target += normal(alpha, 0, 2) + normal(beta, 0, 1) + half_normal(sigma, 1);
    target += gamma(nu - 1, 2, 0.1);
    target.observe("y", student_t(y, nu, alpha + beta * x, sigma));
  }
};

/// Answers in K ordered categories.
template <class Number>
struct Ordinal {
  manychain::Size<> N, P, K;
  manychain::Matrix<const Number> X;
  manychain::View<const int> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("P", P);
    in("K", K, manychain::lower(2));
    in("X", X, N, P);
    in("y", y, N, manychain::integer(1, K));
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", P);
    auto c = target.ordered("c", K.value() - 1);
    target += normal(beta, 0, 1);
    target += normal(c, 0, 2);
    target.observe("y", N, [&](int i, auto& term) { term += ordered_logistic(y[i] - 1, dot(X[i], beta), c); });
  }
};

/// Times to an event, some of them censored: Weibull with scales that depend on a treatment and an age.
template <class Number>
struct Survival {
  manychain::Size<> N;
  manychain::View<const int> event;
  manychain::View<const Number> treated, age, t;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("event", event, N, manychain::integer(0, 1));
    in("treated", treated, N);
    in("age", age, N);
    in("t", t, N, manychain::lower(0));
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto shape = target.real("shape", manychain::lower(0));
    auto mu = target.real("mu");
    auto effect = target.real("effect");
    auto slope = target.real("slope");
    target += lognormal(shape, 0, 0.5) + normal(mu, 1, 1) + normal(effect, 0, 1) + normal(slope, 0, 0.5);
    target.observe("t", N, [&](int i, auto& term) {
      auto scale = let(exp(mu + effect * treated[i] + slope * age[i]));
      if (event[i] == 1)
        term += weibull(t[i], shape, scale);
      else
        term += weibull_lccdf(t[i], shape, scale);
    });
  }
};

/// Logistic growth of a population, in thousands and by calendar years, which nobody has scaled.
template <class Number>
struct Growth {
  manychain::Size<> N;
  manychain::View<const Number> year, y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("year", year, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto capacity = target.real("capacity", manychain::lower(0));
    auto rate = target.real("rate", manychain::lower(0));
    auto middle = target.real("middle");
    auto sigma = target.real("sigma", manychain::lower(0));
    target += lognormal(capacity, 8, 0.4) + lognormal(rate, -3, 0.4) + normal(middle, 1950, 20);
    target += half_normal(sigma, 100);
    target.observe("y", N, [&](auto i, auto& term) {
      term += normal(y[i], capacity * inv_logit(rate * (year[i] - middle)), sigma);
    });
  }
};

/// As many predictors as observations, few of which matter: a horseshoe whose slab has the scale 2.
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
    auto z = target.vector("z", P);
    auto lambda = target.vector("lambda", P, manychain::lower(0));
    auto tau = target.real("tau", manychain::lower(0));
    auto sigma = target.real("sigma", manychain::lower(0));
    target += normal(z, 0, 1) + half_cauchy(lambda, 1);
    target += half_cauchy(tau, 0.2) + half_normal(sigma, 1);
    auto beta = target.let(2 * tau * z * lambda / sqrt(4 + square(tau * lambda)));
    target.observe("y", normal(y, X * beta, sigma));
    target.derived("beta", beta);
  }
};
