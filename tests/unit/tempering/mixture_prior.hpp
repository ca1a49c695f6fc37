// A prior of a wide and a narrow normal in six dimensions, and one observation of the first of them.
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct MixturePrior {
  manychain::Scalar<Number> y;
  void data(manychain::DataReader& in) { in("y", y); }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", manychain::Size<6>{});
    target += log_mix(0.5, sum(normal(x, -4, 1)), sum(normal(x, 4, 0.1)));
    target.observe("y", normal(y, x[0], 1));
  }
};
