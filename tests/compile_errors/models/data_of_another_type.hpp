// void data(manychain::DataReader& in)
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  manychain::Size<> N;

  void data(const manychain::Data&) {}

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += normal(target.real("mu"), 0, 1);
  }
};
