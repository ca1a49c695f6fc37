// with `auto j` the index is opaque
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
    target += normal(mu, 0, 1) + normal(alpha[0], 0, 1);
    target.observe("y", N, [&](auto j, auto& term) {
      if (j > 0) term += normal(y[j], y[j - 1] * mu, 1);
    });
  }
};
