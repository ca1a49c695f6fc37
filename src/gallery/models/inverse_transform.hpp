// Two distributions by the inverse of their distribution function.
#pragma once

#include "manychain/model/distributions/sampled_distributions.hpp"
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
  template <class Visitor>
  MANYCHAIN_HD void draw(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return exponential_distribution(2); });
    visitor.component(1, [](const auto&) { return cauchy_distribution(0, 1); });
  }
};

}  // namespace manychain::gallery::models
