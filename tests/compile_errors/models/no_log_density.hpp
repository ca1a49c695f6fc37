// a model gives a log density
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  template <class Target>
  MANYCHAIN_HD void density(Target& target) const {
    target += normal(target.real("mu"), 0, 1);
  }
};
