// A Markov chain on five states as it is defined: the next state is drawn from a row of the transition matrix.
#pragma once

#include "manychain/model/distributions/sampled_distributions.hpp"
#include "manychain/model/language/data_reader.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

/// Data: P, the transition matrix, by rows.
template <class Number>
struct FiniteChain {
  static constexpr int dimension = 1, states = 5;
  using samplers = SamplerList<Direct>;
  Matrix<const Number, states> P;

  void data(DataReader& in) { in("P", P, Size<states>{}, Size<states>{}, interval(0, 1)); }

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.integers("state", Size<1>{}, 0, states - 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void draw(Visitor& visitor) const {
    visitor.component(0, [this](const auto& q) {
      const auto state = q[0];
      using R = std::remove_const_t<decltype(state)>;
      return categorical_distribution(Size<states>{}, [p = P, state](int k) {
        R weight = R(0);  // chains are in different states: each looks its own row up
        for (int i = 0; i < states; ++i) weight = select(state == R(i), R(p[i][k]), weight);
        return weight;
      });
    });
  }
};

}  // namespace manychain::gallery::models
