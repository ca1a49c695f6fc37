// log_density must be a public const member
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) {
    target += normal(target.real("mu"), 0, 1);
  }
};
