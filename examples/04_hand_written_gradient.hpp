// A random walk, x_1 ~ N(0, 1), x_i ~ N(x_{i-1}, 1), with its gradient written by hand.
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct RandomWalk {
  static constexpr int dimension = 9;

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.vector("x", manychain::Size<dimension>{});
  }

  // Writes every element of the gradient: what is there before is not zero.
  template <class R, class Q, class G>
  MANYCHAIN_HD R value_and_gradient(const Q& x, G& gradient) const {
    R log_density = R(0), before = R(0);
    manychain::for_each(manychain::Size<dimension>{}, [&](int i) {
      const R step = x[i] - before;
      before = x[i];
      log_density -= R(0.5) * step * step;
      gradient[i] = -step;
      if (i > 0) gradient[i - 1] += step;
    });
    return log_density;
  }
};
