// german_credit_numeric_sparse_logistic_regression: the same data, with a prior that shrinks.
#pragma once

#include "manychain/model.hpp"

/// weights = unscaled_weights local_scales global_scale; unscaled_weights ~ N(0, 1), scales ~ gamma(1/2, rate 1/2).
template <class Number>
struct GermanCreditSparse {
  manychain::Size<> N;
  manychain::Matrix<const Number, 25> Z;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("y", y, N, manychain::integer(0, 1));
    const std::vector<double> X = in.values("X", std::vector<std::size_t>{static_cast<std::size_t>(N.value()), 24});
    Z = in.keep_matrix<Number, 25>(manychain::with_ones(manychain::standardised(X, 24), 24, true), N.value(), 25);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    const manychain::Size<25> D;
    auto unscaled = target.vector("unscaled_weights", D);
    auto local = target.vector("local_scales", D, manychain::lower(0));
    auto global = target.real("global_scale", manychain::lower(0));
    target += normal(unscaled, 0, 1);
    target += gamma(local, 0.5, 0.5);
    target += gamma(global, 0.5, 0.5);
    auto weights = target.let(unscaled * local * global);
    target.observe("y", bernoulli_logit(y, Z * weights));
  }
};
