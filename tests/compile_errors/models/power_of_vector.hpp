// ^ is no power here
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
    target += normal(y, theta ^ 2, 1);
  }
};
