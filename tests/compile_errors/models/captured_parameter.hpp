// takes parameters as arguments
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  manychain::Size<> n;
  manychain::View<const Number> times, y;

  void data(manychain::DataReader& in) {
    in("n", n);
    in("times", times, n);
    in("y", y, n);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto rate = target.real("rate");
    const auto decay = [&](const auto&, const auto& amount) { return -rate * amount; };
    auto path = target.ode_rk45(decay, 1.0, 0.0, times);
    target += normal(y, path, 1);
  }
};
