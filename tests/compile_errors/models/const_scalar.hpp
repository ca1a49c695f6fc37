// a number among the data of a model is Scalar<Number>, without const
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Refused {
  manychain::Scalar<const Number> sigma;
  void data(manychain::DataReader& in) { in("sigma", sigma); }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += normal(target.real("mu"), 0, sigma);
  }
};
