// The acceleration of gravity from measured periods of pendulums. A user's model: one header, no CUDA in sight.
#pragma once

#include "manychain/model.hpp"

template <class Number, int Pendulums = manychain::dynamic>
struct Pendulum {
  manychain::Size<Pendulums> N;
  manychain::View<const Number, Pendulums> length, period;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("length", length, N, manychain::lower(0));
    in("period", period, N, manychain::lower(0));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto g = target.real("g", manychain::lower(0));
    target += normal(g, 10, 5);
    target.observe("period", N,
                   [&](auto n, auto& term) { term += normal(period[n], 6.28318531 * sqrt(length[n] / g), 0.1); });
  }
};
