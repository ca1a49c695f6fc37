// Metropolis' rule on two states.
#pragma once

#include "manychain/model/distributions/sampled_distributions.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

/// States 0 and 1 with probabilities 0.2 and 0.8; proposed is the other one.
template <class Number>
struct TwoStates {
  static constexpr int dimension = 1;
  using samplers = SamplerList<MetropolisHastings<>>;

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.integers("state", Size<1>{}, 0, 1);
  }
  template <class R, class Q>
  MANYCHAIN_HD R value(const Q& q) const {
    return select(q[0] == R(0), R(std::log(0.2)), R(std::log(0.8)));
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.component(0, [](const auto& q) {
      const auto state = q[0];
      using R = std::remove_const_t<decltype(state)>;
      return categorical_distribution(Size<2>{}, [state](int k) { return select(state == R(k), R(0), R(1)); });
    });
  }
};

}  // namespace manychain::gallery::models
