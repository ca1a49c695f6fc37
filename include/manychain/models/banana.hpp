// A curved ridge in two dimensions.
#pragma once

#include "manychain/model/language/target.hpp"

namespace manychain::models {

/// x_1 ~ N(0, 10), x_2 | x_1 ~ N(0.03 (x_1^2 - 100), 1): Haario, Saksman and Tamminen (1999). E x = 0, sd x_1 = 10,
/// sd x_2 = sqrt(1 + 2 (0.03 * 100)^2) = sqrt(19).
template <class Number>
struct Banana {
  static constexpr int dimension = 2;

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", Size<2>{});
    target += normal(x[0], 0, 10);
    target += normal(x[1], 0.03 * (square(x[0]) - 100), 1);
  }
};

}  // namespace manychain::models
