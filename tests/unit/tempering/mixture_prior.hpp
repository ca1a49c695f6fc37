// A prior of a wide and a narrow normal in ten dimensions, and one observation of the first of them.
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct MixturePrior {
  manychain::Scalar<Number> y;
  manychain::View<const Number> narrow;  ///< its means
  void data(manychain::DataReader& in) {
    in("y", y);
    in("narrow", narrow, manychain::Size<10>{});
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", manychain::Size<10>{});
    target += log_mix(0.5, sum(normal(x, -4, 1)), sum(normal(x, narrow, 0.01)));
    target.observe("y", normal(y, x[0], 1));
  }
};
