// Three normal variates, each given the others.
#pragma once

#include "manychain/model/language/target.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

/// Mean (1, -2, 3) and the precision matrix with rows (2, -1, 0), (-1, 2, -1), (0, -1, 2): each given the others is
/// normal with variance 1/2, and its mean moves by half of what its neighbours are off theirs.
template <class Number>
struct NormalTriple {
  static constexpr int dimension = 3;
  using samplers = SamplerList<Gibbs<>>;

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.vector("x", Size<3>{});
  }
  template <class R, class Q>
  MANYCHAIN_HD R value(const Q& q) const {
    const R a = q[0] - R(1), b = q[1] + R(2), c = q[2] - R(3);
    return a * b + b * c - a * a - b * b - c * c;
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    const double sd = 0.70710678118654752;
    visitor.component(0, [=](const auto& q) { return normal_distribution(1 + 0.5 * (q[1] + 2), sd); });
    visitor.component(1, [=](const auto& q) { return normal_distribution(-2 + 0.5 * ((q[0] - 1) + (q[2] - 3)), sd); });
    visitor.component(2, [=](const auto& q) { return normal_distribution(3 + 0.5 * (q[1] + 2), sd); });
  }
};

}  // namespace manychain::gallery::models
