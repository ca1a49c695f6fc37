// Two correlated normal variates, each given the other.
#pragma once

#include "manychain/model/target.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

/// Variances 1, correlation 0.8: each given the other is normal with mean 0.8 times it and variance 1 - 0.8^2 = 0.36.
template <class Number>
struct NormalPair {
  static constexpr int dimension = 2;
  using samplers = SamplerList<Gibbs<>>;

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.real("x");
    target.real("y");
  }
  template <class R, class Q>
  MANYCHAIN_HD R value(const Q& q) const {
    const R x = q[0], y = q[1];
    return R(-0.5 / 0.36) * (x * x - R(1.6) * x * y + y * y);
  }
  template <class Sweep>
  MANYCHAIN_HD void conditionals(Sweep& sweep) const {
    sweep.component(0, [](const auto& q) { return normal_law(0.8 * q[1], 0.6); });
    sweep.component(1, [](const auto& q) { return normal_law(0.8 * q[0], 0.6); });
  }
};

}  // namespace manychain::gallery::models
