// a model reads its data in a public member void data(manychain::DataReader& in), without const: it fills the model
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  manychain::Size<> N;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) const {
    in("N", N);
    in("y", y, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    target.observe("y", N, [&](auto i, auto& term) { term += normal(y[i], mu, 1); });
  }
};
