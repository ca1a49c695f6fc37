// garch-garch11: GARCH(1, 1), whose variance is a recurrence.
#pragma once

#include "manychain/model.hpp"

/// y_t ~ N(mu, s_t), s_t^2 = alpha0 + alpha1 (y_{t-1} - mu)^2 + beta1 s_{t-1}^2, s_1 = sigma1; flat on alpha0 > 0,
/// 0 < alpha1 < 1, 0 < beta1 < 1 - alpha1.
template <class Number>
struct Garch {
  static constexpr int dimension = 4;
  manychain::Size<> T;
  manychain::View<const Number> y;
  manychain::Scalar<Number> sigma1;

  void data(manychain::DataReader& in) {
    in("T", T, manychain::lower(1));
    in("y", y, T);
    in("sigma1", sigma1, manychain::lower(0));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto alpha0 = target.real("alpha0", manychain::lower(0));
    auto alpha1 = target.real("alpha1", manychain::interval(0, 1));
    auto beta1 = target.real("beta1", manychain::interval(0, 1 - alpha1));
    target.observe(
        "y", T, square(sigma1),
        [&](int t, const auto& variance) { return alpha0 + alpha1 * square(y[t - 1] - mu) + beta1 * variance; },
        [&](int t, const auto& variance, auto& term) { term += normal_variance(y[t], mu, variance); });
  }
};
