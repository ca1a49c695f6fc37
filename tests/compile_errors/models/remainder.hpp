// there is no remainder
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
    auto z = target.integers("z", J, 0, 9);
    target += normal(y, z[0] % 2, 1);
  }
};
