// Fifty independent standard normal variates.
#pragma once

#include "manychain/model/language/target.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

template <class Number>
struct FiftyNormals {
  static constexpr int dimension = 50;
  using samplers = SamplerList<Metropolis<>, SingleComponent<>, Mala<>>;

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", Size<dimension>{});
    target += normal(x, 0, 1);
  }
};

}  // namespace manychain::gallery::models
