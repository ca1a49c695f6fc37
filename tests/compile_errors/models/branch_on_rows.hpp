// takes several rows at once and cannot branch on data
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  manychain::Size<> N, J;
  manychain::View<const Number> y, x;
  manychain::View<const int> county;

  void data(manychain::DataReader& in) {
    in("N", N);
    in("J", J);
    in("y", y, N);
    in("x", x, N);
    in("county", county, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto alpha = target.vector("alpha", J);
    target += normal(mu, 0, 1) + normal(alpha[0], 0, 1);
    target.observe("y", N, [&](auto j, auto& term) {
      if (y[j] > 0) term += normal(y[j], mu, 1);
    });
  }
};
