// write exp(x), not std::exp(x)
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
    auto tau = target.real("tau", manychain::lower(0));
    target += normal(y, std::log(1 + square(tau)), 1);
  }
};
