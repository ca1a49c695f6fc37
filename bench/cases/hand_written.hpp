// Models as one would write them by hand, on the same packs and behind the same hook: what the gradients that come out
// of one definition are measured against. They sum the log density as a definition does, with its rounding error.
#pragma once

#include <cmath>

#include "manychain/models/eight_schools.hpp"
#include "manychain/models/logistic_regression.hpp"
#include "manychain/models/normal.hpp"

namespace manychain::bench {

template <class Number, int D>
struct HandNormal : models::Normal<Number, D> {
  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.vector("x", this->n);
  }
  template <class R, class Q, class G>
  MANYCHAIN_HD Compensated<R> value_and_gradient(const Q& q, G& g) const {
    Compensated<R> lp;
    for_each(this->n, [&](int i) {
      lp.add(fma(R(-0.5) * q[i], q[i], R(-half_log_two_pi)));
      g[i] = -q[i];
    });
    return lp;
  }
};

template <class Number, int Schools>
struct HandEightSchools : models::EightSchools<Number, Schools> {
  Number constant;  // whatever does not depend on the parameters

  void data(DataReader& in) {
    models::EightSchools<Number, Schools>::data(in);
    // log of 1/sqrt(2 pi) for mu, theta and y; of 1/5 for mu; of 2 / (5 pi) for tau
    double sum = -(2 * Schools + 1) * half_log_two_pi - 2 * std::log(5.0) + log_two - log_pi;
    for (int j = 0; j < Schools; ++j) sum -= std::log(double(this->sigma[j].v));
    constant = static_cast<Number>(sum);
  }
  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.vector("q", Size<Schools + 2>{});
  }
  template <class R, class Q, class G>
  MANYCHAIN_HD Compensated<R> value_and_gradient(const Q& q, G& g) const {
    Compensated<R> lp;
    const R mu = q[0], tau = exp(q[1]);
    const R t = tau * R(0.2), one_t2 = fma(t, t, R(1));
    // mu ~ N(0, 5), tau ~ half-Cauchy(0, 5) with the Jacobian of exp
    lp.add(R(constant));
    lp.add(R(-0.02) * mu * mu + q[1] - log(one_t2));
    R g_mu = R(-0.04) * mu, g_tau = R(0);
    for_each(this->J, [&](int j) {
      const R x = q[2 + j], inverse = R(Scalar<Number>(Number(1)) / this->sigma[j]);
      const R z = (R(this->y[j]) - fma(tau, x, mu)) * inverse;
      const R slope = z * inverse;
      lp.add(R(-0.5) * fma(z, z, x * x));
      g_mu += slope;
      g_tau = fma(slope, x, g_tau);
      g[2 + j] = fma(slope, tau, -x);
    });
    g[0] = g_mu;
    g[1] = fma(g_tau, tau, R(1) - R(2) * t * t / one_t2);
    return lp;
  }
};

/// Row by row: the product, the residual, and its product into the gradient. Rows > 1 does so many at once, so that a
/// coefficient and its slope are read and written once for all of them.
template <class Number, int Columns, int Rows>
struct HandLogistic : models::LogisticRegression<Number, Columns> {
  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.vector("beta", this->columns);
  }
  template <class R, class Q, class G>
  MANYCHAIN_HD Compensated<R> value_and_gradient(const Q& q, G& g) const {
    Compensated<R> lp;
    for_each(this->columns, [&](int j) {
      lp.add(fma(R(-0.5) * q[j], q[j], R(-half_log_two_pi)));
      g[j] = -q[j];
    });
    int row = 0;
    for (; row + Rows <= this->N.value(); row += Rows) rows<Rows, R>(row, q, g, lp);
    for (; row < this->N.value(); ++row) rows<1, R>(row, q, g, lp);
    return lp;
  }

 private:
  template <int Count, class R, class Q, class G>
  MANYCHAIN_HD void rows(int first, const Q& q, G& g, Compensated<R>& lp) const {
    R eta[Count];
    for (int k = 0; k < Count; ++k) eta[k] = R(0);
    const Number* const z = this->Z[first].data();
    for_each(Size<Columns>{}, [&](int j) {
      MANYCHAIN_UNROLL
      for (int k = 0; k < Count; ++k) eta[k] = fma(R(Scalar<Number>(z[k * Columns + j])), q[j], eta[k]);
    });
    MANYCHAIN_UNROLL
    for (int k = 0; k < Count; ++k) {
      const R outcome = R(this->y[first + k]), e = exp(-abs(eta[k]));
      lp.add(fma(outcome, eta[k], -max(eta[k], R(0))) - log1p(e));
      eta[k] = outcome - select(eta[k] < R(0), e, R(1)) / (R(1) + e);
    }
    for_each(Size<Columns>{}, [&](int j) {
      R slope = g[j];
      MANYCHAIN_UNROLL
      for (int k = 0; k < Count; ++k) slope = fma(R(Scalar<Number>(z[k * Columns + j])), eta[k], slope);
      g[j] = slope;
    });
  }
};

}  // namespace manychain::bench
