// arK-arK: an autoregression of order K.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/model/data_reader.hpp"
#include "manychain/model/target.hpp"

namespace manychain::posteriors {

/// y_t ~ N(alpha + sum_k beta[k] y_{t-k}, sigma) for t > K; alpha, beta ~ N(0, 10), sigma ~ half-Cauchy(0, 2.5).
template <class Number, int Lags = dynamic>
struct ArK {
  static constexpr int dimension = add_sizes(Lags, 2);
  Size<Lags> K;
  Size<> rows;
  View<const Number> now;
  Matrix<const Number, Lags> past;  // past[t][k] is y_{t-k}

  void data(DataReader& in) {
    Size<> T;
    in("K", K, lower(1));
    in("T", T, lower(K.value() + 1));
    const std::vector<double> y = in.values("y", std::vector<std::size_t>{static_cast<std::size_t>(T.value())});
    const std::size_t lags = static_cast<std::size_t>(K.value());
    std::vector<double> before;
    for (std::size_t t = lags; t < y.size(); ++t)
      for (std::size_t k = 1; k <= lags; ++k) before.push_back(y[t - k]);
    rows = Size<>(T.value() - K.value());
    now = in.keep<Number>(std::vector<double>(y.begin() + K.value(), y.end()), rows);
    past = in.keep_matrix<Number, Lags>(before, rows.value(), K.value());
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto alpha = target.real("alpha");
    auto beta = target.vector("beta", K);
    auto sigma = target.real("sigma", lower(0));
    target += normal(alpha, 0, 10) + half_cauchy(sigma, 2.5);
    target += normal(beta, 0, 10);
    target.observe("y", rows, [&](auto t, auto& term) { term += normal(now[t], alpha + dot(past[t], beta), sigma); });
  }
};

}  // namespace manychain::posteriors
