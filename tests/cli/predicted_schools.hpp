// Coaching in eight schools (Rubin 1981), and what the same schools would show again.
#pragma once

#include "manychain/model.hpp"

/// theta_j = mu + tau theta_trans_j, y_j ~ N(theta_j, sigma_j); mu ~ N(0, 5), tau ~ half-Cauchy(0, 5).
template <class Number>
struct PredictedSchools {
  manychain::Size<> J;
  manychain::View<const Number> y, sigma;

  void data(manychain::DataReader& in) {
    in("J", J, manychain::lower(1));
    in("y", y, J);
    in("sigma", sigma, J, manychain::lower(0));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto tau = target.real("tau", manychain::lower(0));
    auto theta_trans = target.vector("theta_trans", J);
    target += normal(mu, 0, 5) + half_cauchy(tau, 5);
    target += normal(theta_trans, 0, 1);
    target.observe("y", normal(y, mu + tau * theta_trans, sigma));
    target.derived("theta", mu + tau * theta_trans);
    target.predict("y_rep", J, [&](int j) { return normal_distribution(mu + tau * theta_trans[j], sigma[j]); });
  }
};
