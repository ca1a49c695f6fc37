// a vector needs working memory: write auto eta = target.let(alpha + beta * x)
#pragma once

#include "manychain/model.hpp"

template <class Number, int N = manychain::dynamic>
struct Refused {
  manychain::Size<N> J;
  manychain::View<const Number, N> y;

  void data(manychain::DataReader& in) {
    in("J", J);
    in("y", y, J);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", J);
    auto eta = let(beta * 2.0);
    target += normal(y, eta, 1);
  }
};
