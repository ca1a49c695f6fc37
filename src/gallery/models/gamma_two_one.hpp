// A gamma density by proposals that do not look at the state.
#pragma once

#include "manychain/model/distributions/sampled_distributions.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

/// Gamma(2, 1), p(x) = x exp(-x) for x > 0; proposed from the exponential distribution with mean 5.
template <class Number>
struct GammaTwoOne {
  static constexpr int dimension = 1;
  static constexpr bool independent_proposal = true;
  using samplers = SamplerList<Independence>;

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.real("x");
  }
  template <class R, class Q>
  MANYCHAIN_HD R value(const Q& q) const {
    const R x = q[0];
    const auto inside = x > R(0);
    return select(inside, log(select(inside, x, R(1))) - x, R(-std::numeric_limits<Number>::infinity()));
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return exponential_distribution(0.2); });
  }
};

}  // namespace manychain::gallery::models
