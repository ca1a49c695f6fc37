// A model whose data may not fit it.
#pragma once

#include "manychain/model.hpp"

/// Takes y (N) and eta (J) element by element, and looks at eta[last].
template <class Number>
struct Misfit {
  using samplers = manychain::SamplerList<manychain::Metropolis<>>;
  manychain::Size<> N, J, last;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) {
    in("N", N);
    in("J", J);
    in("last", last);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto eta = target.vector("eta", J);
    target += normal(y, eta, 2);
    target += normal(eta[last.value()], 0, 1);
  }
};
