// eight_schools-eight_schools_centered: coaching in eight schools (Rubin 1981), centred: a neck where tau is small.
#pragma once

#include "manychain/model.hpp"

/// theta_j ~ N(mu, tau), y_j ~ N(theta_j, sigma_j); mu ~ N(0, 5), tau ~ half-Cauchy(0, 5).
template <class Number, int Schools = manychain::dynamic>
struct EightSchoolsCentered {
  static constexpr int dimension = manychain::add_sizes(Schools, 2);
  manychain::Size<Schools> J;
  manychain::View<const Number, Schools> y, sigma;

  void data(manychain::DataReader& in) {
    in("J", J, manychain::lower(1));
    in("y", y, J);
    in("sigma", sigma, J, manychain::lower(0));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto tau = target.real("tau", manychain::lower(0));
    auto theta = target.vector("theta", J);
    target += normal(mu, 0, 5) + half_cauchy(tau, 5);
    target += normal(theta, mu, tau);
    target.observe("y", normal(y, theta, sigma));
  }
};
