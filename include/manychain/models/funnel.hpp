// Neal's funnel.
#pragma once

#include "manychain/model/language/target.hpp"

namespace manychain::models {

/// v ~ N(0, 3), x_i | v ~ N(0, exp(v / 2)), i = 1 .. 9 (Neal 2003, section 8).
template <class Number>
struct Funnel {
  static constexpr int dimension = 10;

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto v = target.real("v");
    auto x = target.vector("x", Size<9>{});
    target += normal(v, 0, 3);
    auto scale = let(exp(0.5 * v));
    target += normal(x, 0, scale);
  }
};

}  // namespace manychain::models
