// Bayesian linear regression with known noise: its posterior is a normal distribution that is known exactly.
#pragma once

#include "manychain/model/language/data_reader.hpp"
#include "manychain/model/language/target.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain::gallery::models {

/// y ~ N(b + X w, sigma), w ~ N(0, 1), b ~ N(0, 1).
template <class Number, int D = dynamic>
struct KnownNoiseRegression {
  using samplers = SamplerList<Sgld>;
  static constexpr bool minibatches = true;
  static constexpr int dimension = add_sizes(D, 1);
  Size<dynamic> N;
  Size<D> columns;
  Matrix<const Number, D> X;
  View<const Number> y;
  Scalar<Number> sigma;

  void data(DataReader& in) {
    in("N", N, lower(1));
    in("D", columns, lower(1));
    in("X", X, N, columns);
    in("y", y, N);
    in("sigma", sigma, lower(0));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto w = target.vector("w", columns);
    auto b = target.real("b");
    target += normal(w, 0, 1);
    target += normal(b, 0, 1);
    target.observe("y", N, [&](auto i, auto& term) { term += normal(y[i], b + dot(X[i], w), sigma); });
  }
};

}  // namespace manychain::gallery::models
