// stochastic_volatility_sp500: ten years of daily changes of the S&P 500, whose volatility is an autoregression.
#pragma once

#include "manychain/model.hpp"

/// h_1 ~ N(mean, scale / sqrt(1 - p^2)), h_t ~ N(mean + p (h_{t-1} - mean), scale), y_t ~ N(0, exp(h_t / 2));
/// p ~ 2 beta(20, 1.5) - 1, mean ~ Cauchy(0, 5), scale ~ half-Cauchy(0, 2). Parametrised by the shocks, which are N(0,
/// 1).
template <class Number>
struct StochasticVolatility {
  manychain::Size<> T;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) {
    in("T", T, manychain::lower(1));
    in("centered_returns", y, T);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto p = target.real("persistence_of_volatility", manychain::interval(-1, 1));
    auto mean = target.real("mean_log_volatility");
    auto scale = target.real("white_noise_shock_scale", manychain::lower(0));
    auto shock = target.vector("shock", T);
    target += beta(0.5 * (p + 1), 20, 1.5) + cauchy(mean, 0, 5) + half_cauchy(scale, 2);
    target += normal(shock, 0, 1);
    auto h = target.scan(T, mean + scale / sqrt(1 - square(p)) * shock[0],
                         [&](int t, const auto& before) { return mean + p * (before - mean) + scale * shock[t]; });
    target.observe("centered_returns", normal(y, 0, exp(0.5 * h)));
    target.derived("log_volatility", h);
  }
};
