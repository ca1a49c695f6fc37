// garch-garch11: GARCH(1, 1), whose variance is a recurrence.
#pragma once

#include "manychain/model/data_reader.hpp"
#include "manychain/model/target.hpp"

namespace manychain::posteriors {

/// y_t ~ N(mu, s_t), s_t^2 = alpha0 + alpha1 (y_{t-1} - mu)^2 + beta1 s_{t-1}^2, s_1 = sigma1; flat on alpha0 > 0,
/// 0 < alpha1 < 1, 0 < beta1 < 1 - alpha1.
template <class Number>
struct Garch {
  static constexpr int dimension = 4;
  Size<> T;
  View<const Number> y;
  Scalar<Number> sigma1;

  void data(DataReader& in) {
    in("T", T, lower(1));
    in("y", y, T);
    in("sigma1", sigma1, lower(0));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto alpha0 = target.real("alpha0", lower(0));
    auto alpha1 = target.real("alpha1", interval(0, 1));
    auto beta1 = target.real("beta1", interval(0, 1 - alpha1));

    // The variance h and its derivatives towards the four parameters go along with t.
    using R = decltype(value(mu));
    const R m = value(mu), a0 = value(alpha0), a1 = value(alpha1), b1 = value(beta1);
    R h = R(sigma1 * sigma1), by_mu = R(0), by_alpha0 = R(0), by_alpha1 = R(0), by_beta1 = R(0);
    target.sum_over(T, [&](int t, auto& term) {
      if (t > 0) {
        const R before = y[t - 1] - m, h_before = h;
        h = a0 + a1 * (before * before) + b1 * h_before;
        by_mu = b1 * by_mu - 2.0 * a1 * before;
        by_alpha0 = 1.0 + b1 * by_alpha0;
        by_alpha1 = before * before + b1 * by_alpha1;
        by_beta1 = h_before + b1 * by_beta1;
      }
      const R r = y[t] - m, inverse = 1.0 / h, z = r * inverse;
      const R by_h = 0.5 * (z * z - inverse);
      term += elementary(-0.5 * (r * z + log(h)) - half_log_two_pi, partial(as_node(mu), z + by_h * by_mu),
                         partial(as_node(alpha0), by_h * by_alpha0), partial(as_node(alpha1), by_h * by_alpha1),
                         partial(as_node(beta1), by_h * by_beta1));
    });
  }
};

}  // namespace manychain::posteriors
