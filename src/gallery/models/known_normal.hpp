// A normal mean with known noise, and new data predicted from it.
#pragma once

#include "manychain/model.hpp"

namespace manychain::gallery::models {

/// y_j ~ N(mu, sigma), mu ~ N(0, tau), sigma and tau known. The posterior of mu is normal, and so is the predictive
/// distribution of a new observation.
template <class Number>
struct KnownNormal {
  static constexpr int dimension = 1;
  Size<dynamic> N;
  View<const Number> y;
  Scalar<Number> sigma, tau;

  using samplers = SamplerList<Hmc<>>;

  void data(DataReader& in) {
    in("N", N, lower(1));
    in("y", y, N);
    in("sigma", sigma, lower(0));
    in("tau", tau, lower(0));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    target += normal(mu, 0, tau);
    target.observe("y", N, [&](auto j, auto& term) { term += normal(y[j], mu, sigma); });
    target.predict("y_new", normal_distribution(mu, sigma));
    target.predict("y_rep", Size<3>{}, [&](auto) { return normal_distribution(mu, sigma); });
  }
};

}  // namespace manychain::gallery::models
