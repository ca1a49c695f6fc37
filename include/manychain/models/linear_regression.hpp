// Linear regression with known structure and unknown noise.
#pragma once

#include "manychain/model/language/data_reader.hpp"
#include "manychain/model/language/target.hpp"

namespace manychain::models {

/// y ~ N(X beta, sigma), beta ~ N(0, 10), sigma ~ half-N(0, 10), as posteriordb's sblrc-blr and sblri-blr. X is taken
/// as it is: a column of ones gives an intercept.
template <class Number, int D = dynamic>
struct LinearRegression {
  static constexpr int dimension = add_sizes(D, 1);
  static constexpr bool minibatches = true;
  Size<dynamic> N;
  Size<D> columns;
  Matrix<const Number, D> X;
  View<const Number> y;

  void data(DataReader& in) {
    in("N", N, lower(1));
    in("D", columns, lower(1));
    in("X", X, N, columns);
    in("y", y, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", columns);
    auto sigma = target.real("sigma", lower(0));
    target += normal(beta, 0, 10);
    target += half_normal(sigma, 10);
    target.observe("y", N, [&](auto i, auto& term) { term += normal(y[i], dot(X[i], beta), sigma); });
  }
};

}  // namespace manychain::models
