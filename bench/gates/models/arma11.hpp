// arma-arma11: a series with one autoregression and one moving average (an example of the Stan manual, posteriordb).
#pragma once

#include "manychain/model.hpp"

/// y_t = mu + phi y_(t-1) + theta e_(t-1) + e_t with e_t ~ N(0, sigma), and y_0 = mu, e_0 = 0. mu ~ N(0, 10), phi and
/// theta ~ N(0, 2), sigma ~ half-Cauchy(2.5).
template <class Number>
struct Arma11 {
  static constexpr int dimension = 4;
  manychain::Size<> T;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) {
    in("T", T, manychain::lower(1));
    in("y", y, T);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto phi = target.real("phi");
    auto theta = target.real("theta");
    auto sigma = target.real("sigma", manychain::lower(0));
    target += normal(mu, 0, 10) + normal(phi, 0, 2) + normal(theta, 0, 2) + half_cauchy(sigma, 2.5);
    auto error = target.scan(T, y[0] - (mu + phi * mu),
                             [&](int t, const auto& before) { return y[t] - (mu + phi * y[t - 1] + theta * before); });
    target.observe("y", normal(error, 0, sigma));
  }
};
