// Batches of dyestuff whose scales are parameters by their precisions, as BUGS has them. With gamma(0.001, 0.001) the
// log precision of batches is flat up to 7, far in the neck: 5 % of the posterior has a scale below 0.25, 1 % below
// 0.05, where half of it is above 37. data/README.md says where the data are from.
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Batches {
  manychain::Size<> B, S;
  manychain::Matrix<const Number> y;
  void data(manychain::DataReader& in) {
    in("B", B);
    in("S", S);
    in("y", y, B, S);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto tau_batches = target.real("tau_batches", manychain::lower(0));
    auto tau = target.real("tau", manychain::lower(0));
    auto mu = target.real("mu");
    auto theta = target.vector("theta", B);
    target += gamma(tau_batches, 0.001, 0.001) + gamma(tau, 0.001, 0.001) + normal(mu, 0, 1e5);
    target += normal(theta, mu, 1 / sqrt(tau_batches));
    target.observe("y", B, [&](auto b, auto& term) { term += normal(y[b], theta[b], 1 / sqrt(tau)); });
    target.derived("sigma_batches", 1 / sqrt(tau_batches));
    target.derived("sigma", 1 / sqrt(tau));
  }
};
