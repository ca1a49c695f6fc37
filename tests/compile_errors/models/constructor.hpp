// give it no other constructor
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  Number sigma;
  explicit Refused(Number s) : sigma(s) {}

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += normal(target.real("mu"), 0, 1);
  }
};
