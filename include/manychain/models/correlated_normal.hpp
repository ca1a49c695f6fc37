// Two normals with correlation 0.9.
#pragma once

#include "manychain/model/language/target.hpp"

namespace manychain::models {

/// Standard margins, correlation 0.9, written as x_1 ~ N(0, 1), x_2 | x_1 ~ N(0.9 x_1, sqrt(1 - 0.81)).
template <class Number>
struct CorrelatedNormal {
  static constexpr int dimension = 2;

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", Size<2>{});
    target += normal(x[0], 0, 1);
    target += normal(x[1], 0.9 * x[0], 0.43588989435406736);
  }
};

}  // namespace manychain::models
