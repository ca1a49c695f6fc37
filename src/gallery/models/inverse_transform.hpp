// Two distributions by the inverse of their distribution function.
#pragma once

#include "manychain/model/laws.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

/// Exponential of rate 2, -log(u) / 2, and standard Cauchy, tan(pi (u - 1/2)).
template <class Number>
struct InverseTransform {
  static constexpr int dimension = 2;
  using samplers = SamplerList<Direct>;

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.real("exponential");
    target.real("cauchy");
  }
  template <class Sweep>
  MANYCHAIN_HD void draw(Sweep& sweep) const {
    sweep.component(0, [](const auto&) { return exponential_law(2); });
    sweep.component(1, [](const auto&) { return cauchy_law(0, 1); });
  }
};

}  // namespace manychain::gallery::models
