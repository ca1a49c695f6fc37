// declares its parameters
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  template <class R, class Q>
  MANYCHAIN_HD R value(const Q& q) const {
    return -q[0] * q[0];
  }
};
