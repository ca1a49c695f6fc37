// a distribution that is drawn from takes numbers: for a vector of draws write target.predict(name, N, [&](auto j)
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  manychain::Size<> N;
  manychain::View<const Number> x, y;

  void data(manychain::DataReader& in) {
    in("N", N);
    in("x", x, N);
    in("y", y, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.real("beta");
    target.observe("y", N, [&](auto i, auto& term) { term += normal(y[i], beta * x[i], 1); });
    target.predict("y_new", normal_distribution(beta * x, 1));
  }
};
