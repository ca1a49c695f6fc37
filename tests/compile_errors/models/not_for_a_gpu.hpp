// log_density lacks MANYCHAIN_HD
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  template <class Target>
  void log_density(Target& target) const {
    target += normal(target.real("mu"), 0, 1);
  }
};
