// a model is a class template
#pragma once

#include "manychain/model.hpp"

struct Refused {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += normal(target.real("mu"), 0, 1);
  }
};
