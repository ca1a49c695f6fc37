// A linear regression with an intercept for each group: houses in counties (after Gelman and Hill 2007, chapter 12).
#pragma once

#include "manychain/model.hpp"

/// y_j ~ N(alpha[county_j] + beta floor_j, sigma), alpha_c ~ N(mu, tau).
template <class Number>
struct VaryingIntercepts {
  using samplers = manychain::SamplerList<manychain::Hmc<>>;
  manychain::Size<> N, J;
  manychain::View<const int> county;
  manychain::View<const Number> y, floor;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("J", J, manychain::lower(1));
    in("county", county, N, manychain::integer(1, J.value()));
    in("y", y, N);
    in("floor", floor, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto beta = target.real("beta");
    auto sigma = target.real("sigma", manychain::lower(0));
    auto tau = target.real("tau", manychain::lower(0));
    auto alpha = target.vector("alpha", J);
    target += normal(mu, 0, 2) + normal(beta, 0, 2) + half_normal(sigma, 1) + half_normal(tau, 1);
    target += normal(alpha, mu, tau);
    target.observe("y", N, [&](auto j, auto& term) {
      term += normal(y[j], alpha[county[j] - 1] + beta * floor[j], sigma);  // counties count from 1
    });
    target.derived("fit", N, [&](auto j) { return alpha[county[j] - 1] + beta * floor[j]; });
  }
};
