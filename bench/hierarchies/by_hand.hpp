// Hierarchies whose structure no location-scale density of the library shows, for errors.py.
#pragma once

#include "manychain/model.hpp"

/// Groups of models.hpp with the density of its effects written by hand.
template <class Number>
struct GroupsByHand {
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
    target += -0.5 * sum(square((theta - mu) / tau)) - J.value() * log(tau);
    target.observe("y", N, [&](int i, auto& term) { term += normal(y[i], theta[g[i] - 1], sigma); });
  }
};

/// Rates with a mean phi and a concentration kappa, whose prior has a heavy tail.
template <class Number>
struct Rates {
  manychain::Size<> J;
  manychain::View<const int> y, n;
  void data(manychain::DataReader& in) {
    in("J", J);
    in("y", y, J);
    in("n", n, J);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto phi = target.real("phi", manychain::interval(0, 1));
    auto kappa = target.real("kappa", manychain::lower(1));
    auto theta = target.vector("theta", J, manychain::interval(0, 1));
    target += pareto(kappa, 1, 1.5);
    target += beta(theta, phi * kappa, (1 - phi) * kappa);
    target.observe("y", binomial(y, n, theta));
  }
};
