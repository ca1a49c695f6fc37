// a mixture of the densities of vectors is one of each element
#pragma once

#include "manychain/model.hpp"

template <class Number, int N = manychain::dynamic>
struct Refused {
  manychain::Size<N> J;
  manychain::View<const Number, N> y;

  void data(manychain::DataReader& in) {
    in("J", J);
    in("y", y, J);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto theta = target.real("theta", manychain::interval(0, 1));
    auto mu = target.real("mu");
    target += normal(mu, 0, 1);
    target += log_mix(theta, normal(y, mu, 1), normal(y, 0, 1));
  }
};
