// A normal density by weighted draws of a narrower or a wider one.
#pragma once

#include "manychain/model/distributions/sampled_distributions.hpp"
#include "manychain/model/language/data_reader.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

/// p(x) = exp(-x^2 / 2), not normalised; proposed from the normal distribution with mean 0 and standard deviation s.
/// Data: s.
template <class Number>
struct WeightedNormal {
  static constexpr int dimension = 1;
  static constexpr bool independent_proposal = true;
  using samplers = SamplerList<Importance>;
  Scalar<Number> s;

  void data(DataReader& in) { in("s", s, lower(0)); }

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.real("x");
  }
  template <class R, class Q>
  MANYCHAIN_HD R value(const Q& q) const {
    return R(-0.5) * q[0] * q[0];
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.component(0, [this](const auto&) { return normal_distribution(0, s); });
  }
};

}  // namespace manychain::gallery::models
