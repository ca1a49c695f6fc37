// Three outcomes by the inverse of their distribution function.
#pragma once

#include "manychain/model/distributions/sampled_distributions.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

/// 0, 1, 2 with probabilities 0.6, 0.1, 0.3: the number of steps of the cumulative sum that lie below a uniform.
template <class Number>
struct Outcomes {
  static constexpr int dimension = 1;
  using samplers = SamplerList<Direct>;

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.integers("outcome", Size<1>{}, 0, 2);
  }
  template <class Visitor>
  MANYCHAIN_HD void draw(Visitor& visitor) const {
    visitor.component(0, [](const auto&) {
      return categorical_distribution(Size<3>{}, [](int k) { return k == 0 ? 0.6 : k == 1 ? 0.1 : 0.3; });
    });
  }
};

}  // namespace manychain::gallery::models
