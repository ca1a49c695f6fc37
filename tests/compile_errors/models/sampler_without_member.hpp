// SAMPLERS gibbs: there is no sampler of that name, the model does not give what it needs
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += normal(x, 0, 1);
  }
};
