// value_and_gradient must be a public const member
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.real("x");
  }
  template <class R, class Q, class G>
  MANYCHAIN_HD R value_and_gradient(const Q& q, G& gradient) {
    gradient[0] = -q[0];
    return R(-0.5) * q[0] * q[0];
  }
};
