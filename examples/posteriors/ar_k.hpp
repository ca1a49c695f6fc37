// arK-arK: an autoregression of order K.
#pragma once

#include "manychain/model.hpp"

/// y_t ~ N(alpha + sum_k beta[k] y_{t-k}, sigma) for t > K; alpha, beta ~ N(0, 10), sigma ~ half-Cauchy(0, 2.5).
template <class Number, int Lags = manychain::dynamic>
struct ArK {
  static constexpr int dimension = manychain::add_sizes(Lags, 2);
  manychain::Size<Lags> K;
  manychain::Size<> T;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) {
    in("K", K, manychain::lower(1));
    in("T", T, manychain::lower(K.value() + 1));
    in("y", y, T);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto alpha = target.real("alpha");
    auto beta = target.vector("beta", K);
    auto sigma = target.real("sigma", manychain::lower(0));
    target += normal(alpha, 0, 10) + half_cauchy(sigma, 2.5);
    target += normal(beta, 0, 10);
    target.observe("y", T.value() - K.value(), [&](auto t, auto& term) {
      const auto past = vector_of(K, [&](int k) { return y[t + (K.value() - 1 - k)]; });  // y_{t-1}, y_{t-2}, ...
      term += normal(y[t + K.value()], alpha + dot(past, beta), sigma);
    });
  }
};
