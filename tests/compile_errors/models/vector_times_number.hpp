// no arithmetic with a whole vector
#pragma once

#include <cmath>

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
    auto beta = target.vector("beta", J);
    target += normal(y, beta * 2.0, 1);
  }
};
