// Two correlated normal variates known by their score alone.
#pragma once

#include "manychain/model/language/target.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

/// The gradient of the log density of N((1, -2), ((2, -1), (-1, 2)) / 3): the precision matrix is ((2, 1), (1, 2)). No
/// density is written anywhere.
template <class Number>
struct NormalScore {
  static constexpr int dimension = 2;
  using samplers = SamplerList<Ula>;

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.vector("x", Size<2>{});
  }
  template <class R, class Q, class G>
  MANYCHAIN_HD void score(const Q& q, G& g) const {
    const R x = q[0] - R(1), y = q[1] + R(2);
    g[0] = -(x + x + y);
    g[1] = -(x + y + y);
  }
};

}  // namespace manychain::gallery::models
