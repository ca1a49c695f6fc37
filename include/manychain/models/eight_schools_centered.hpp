// Eight schools (Rubin 1981), centred: a funnel that HMC cannot walk into.
#pragma once

#include "manychain/model/language/data_reader.hpp"
#include "manychain/model/language/target.hpp"

namespace manychain::models {

/// theta_j ~ N(mu, tau). Priors as in posteriordb. Use eight_schools for the answer, and this one to see divergences.
template <class Number, int Schools = dynamic>
struct EightSchoolsCentered {
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
    auto theta = target.vector("theta", J);
    target += normal(mu, 0, 5);
    target += half_cauchy(tau, 5);
    target += normal(theta, mu, tau);
    target.observe("y", J, [&](auto j, auto& term) { term += normal(y[j], theta[j], sigma[j]); });
  }
};

}  // namespace manychain::models
