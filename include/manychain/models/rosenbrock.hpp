// Rosenbrock's valley as a density.
#pragma once

#include "manychain/model/language/target.hpp"

namespace manychain::models {

/// exp(-(1 - x_1)^2 / 20 - 5 (x_2 - x_1^2)^2), normalised: x_1 ~ N(1, sqrt(10)), x_2 | x_1 ~ N(x_1^2, sqrt(1/10))
/// (Goodman and Weare 2010, eq. 24, scaled as in Pagani, Wiegand and Nadarajah 2022). E x_1 = 1, E x_2 = 11.
template <class Number>
struct Rosenbrock {
  static constexpr int dimension = 2;

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", Size<2>{});
    target += normal(x[0], 1, 3.1622776601683795);
    target += normal(x[1], square(x[0]), 0.31622776601683794);
  }
};

}  // namespace manychain::models
