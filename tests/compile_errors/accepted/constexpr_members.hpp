// nvcc takes constexpr functions for both host and device (--expt-relaxed-constexpr): no MANYCHAIN_HD is missing here.
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Accepted {
  template <class Target>
  constexpr void log_density(Target& target) const {
    target += normal(target.real("x"), 0, 1);
  }
};
