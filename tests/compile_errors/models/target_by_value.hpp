// takes its target by reference
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  template <class Target>
  MANYCHAIN_HD void log_density(Target target) const {
    target += normal(target.real("mu"), 0, 1);
  }
};
