// a vector is recorded element by element
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  manychain::Size<> N;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) {
    in("N", N);
    in("y", y, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto alpha = target.vector("alpha", N);
    target += normal(y, mu, 1);
    target += normal(alpha, mu, 1);
    target.derived("alpha2", alpha);
  }
};
