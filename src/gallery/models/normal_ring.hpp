// Normal variates on a ring, each of which knows its two neighbours.
#pragma once

#include "manychain/model/language/target.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

/// 16 variates; each given the others is normal with mean 0.15 (left + right) and variance 1. The precision matrix is a
/// circulant of 1 and -0.15.
template <class Number>
struct NormalRing {
  static constexpr int dimension = 16;
  static constexpr double coupling = 0.15;
  using samplers = SamplerList<Gibbs<>, ParallelGibbs, Direct>;

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.vector("x", Size<dimension>{});
  }
  template <class R, class Q>
  MANYCHAIN_HD R value(const Q& q) const {
    R sum = R(0);
    for_each(Size<dimension>{}, [&](int i) {
      const R x = q[i];
      sum += x * (R(coupling) * q[(i + 1) % dimension] - R(0.5) * x);
    });
    return sum;
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.components(0, Size<dimension>{}, [](int i, const auto& q) {
      return normal_distribution(coupling * (q[(i + dimension - 1) % dimension] + q[(i + 1) % dimension]), 1);
    });
  }
  /// All at once from the old state and uncorrected: a chain that has another stationary distribution.
  template <class Visitor>
  MANYCHAIN_HD void draw(Visitor& visitor) const {
    conditionals(visitor);
  }
};

}  // namespace manychain::gallery::models
