// 100 normals whose scales span three decades.
#pragma once

#include "manychain/model/target.hpp"

namespace manychain::models {

/// x_i ~ N(0, s_i), s_i = 10^(3 (i - 1) / 99 - 2): from 0.01 to 10, a condition number of 10^6.
template <class Number>
struct IllConditionedNormal {
  static constexpr int dimension = 100;

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", Size<100>{});
    target.sum_over(Size<100>{}, [&](auto i, auto& term) {
      // Written as a polynomial of exponentials would be slower: one exponential of an index.
      const Scalar<Number> scale =
          exp(Scalar<Number>(2.302585092994046) * fma(Scalar<Number>(3.0 / 99), Scalar<Number>(i), Scalar<Number>(-2)));
      term += normal(x[i], 0, scale);
    });
  }
};

}  // namespace manychain::models
