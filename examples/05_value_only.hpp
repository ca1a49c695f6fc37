// Two independent standard normals, restricted to x + y > 1: a density without a gradient.
#pragma once

#include <limits>

#include "manychain/model.hpp"

template <class Number>
struct HalfPlane {
  static constexpr int dimension = 2;

  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.real("x");
    target.real("y");
  }

  // An if would have to go two ways at once: R holds one number of each of several chains. select() takes both.
  template <class R, class Q>
  MANYCHAIN_HD R value(const Q& q) const {
    const R inside = R(-0.5) * (q[0] * q[0] + q[1] * q[1]);
    return select(q[0] + q[1] > R(1), inside, R(-std::numeric_limits<Number>::infinity()));
  }
};
