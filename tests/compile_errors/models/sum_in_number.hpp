// a plain number has no derivative
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
    auto theta = target.vector("theta", J);
    Number s = 0;
    for (int i = 0; i < J.value(); ++i) s += theta[i];
    target += normal(s, 0, 1);
  }
};
