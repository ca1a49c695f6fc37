// sblrc-blr and sblri-blr: a linear regression of five columns, correlated or not.
#pragma once

#include "manychain/model.hpp"

/// y ~ N(X beta, sigma), beta ~ N(0, 10), sigma ~ half-N(0, 10).
template <class Number, int Columns = manychain::dynamic>
struct Regression {
  static constexpr int dimension = manychain::add_sizes(Columns, 1);
  manychain::Size<> N;
  manychain::Size<Columns> D;
  manychain::Matrix<const Number, Columns> X;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("D", D, manychain::lower(1));
    in("X", X, N, D);
    in("y", y, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", D);
    auto sigma = target.real("sigma", manychain::lower(0));
    target += normal(beta, 0, 10);
    target += half_normal(sigma, 10);
    target.observe("y", normal(y, X * beta, sigma));
  }
};
