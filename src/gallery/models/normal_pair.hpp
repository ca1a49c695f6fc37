// Two correlated normal variates, each given the other.
#pragma once

#include "manychain/model/language/data_reader.hpp"
#include "manychain/model/language/target.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

/// Means mx and my, which are data, variances 1, correlation 0.8: each given the other is normal with its mean moved by
/// 0.8 times what the other is off its own, and variance 1 - 0.8^2 = 0.36.
template <class Number>
struct NormalPair {
  static constexpr int dimension = 2;
  using samplers = SamplerList<Gibbs<>, SingleComponent<>>;
  Scalar<Number> mx, my;

  void data(DataReader& in) {
    in("mx", mx);
    in("my", my);
  }

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.real("x");
    target.real("y");
  }
  template <class R, class Q>
  MANYCHAIN_HD R value(const Q& q) const {
    const R x = q[0] - R(mx), y = q[1] - R(my);
    return R(-0.5 / 0.36) * (x * x - R(1.6) * x * y + y * y);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(0, [this](const auto& q) { return normal_distribution(mx + 0.8 * (q[1] - my), 0.6); });
    visitor.component(1, [this](const auto& q) { return normal_distribution(my + 0.8 * (q[0] - mx), 0.6); });
  }
};

}  // namespace manychain::gallery::models
