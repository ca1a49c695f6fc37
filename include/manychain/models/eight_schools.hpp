// Eight schools (Rubin 1981), non-centred.
#pragma once

#include "manychain/model/language/data_reader.hpp"
#include "manychain/model/language/target.hpp"

namespace manychain::models {

/// Effects theta_j = mu + tau theta_trans_j of coaching in J schools. Priors as in posteriordb:
/// mu ~ N(0, 5), tau ~ half-Cauchy(0, 5).
template <class Number, int Schools = dynamic>
struct EightSchools {
  static constexpr int dimension = add_sizes(Schools, 2);
  Size<Schools> J;
  View<const Number> y, sigma;

  void data(DataReader& in) {
    in("J", J, lower(1));
    in("y", y, J);
    in("sigma", sigma, J, lower(0));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto tau = target.real("tau", lower(0));
    auto theta_trans = target.vector("theta_trans", J);
    const auto prior = half_cauchy(tau, 5);  // its division takes as long as the sum below
    target += normal(mu, 0, 5);
    target += normal(theta_trans, 0, 1);
    target.observe("y", J, [&](auto j, auto& term) { term += normal(y[j], mu + tau * theta_trans[j], sigma[j]); });
    target += prior;
    target.derived("theta", J, [&](auto j) { return mu + tau * theta_trans[j]; });
  }
};

}  // namespace manychain::models
