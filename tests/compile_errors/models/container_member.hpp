// hold data in View, Matrix and Size, not in std::vector
#pragma once

#include <vector>

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  std::vector<Number> y;

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += normal(target.real("mu"), 0, 1);
  }
};
