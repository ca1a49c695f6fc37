// Models whose data can all be met, with coefficients that many of them share: as a scale of data goes to zero, what
// stands in their locations has no room left.
#pragma once

#include "manychain/model.hpp"

/// A regression whose covariate is measured with errors: x_i ~ N(mu, tau), observed as x_i + N(0, sx) and
/// a + b x_i + N(0, sy).
template <class Number>
struct ErrorsInBoth {
  manychain::Size<> N;
  manychain::View<const Number> x_observed, y;
  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("x_observed", x_observed, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto a = target.real("a");
    auto b = target.real("b");
    auto mu = target.real("mu");
    auto tau = target.real("tau", manychain::lower(0));
    auto sx = target.real("sx", manychain::lower(0));
    auto sy = target.real("sy", manychain::lower(0));
    auto x = target.vector("x", N);
    target += normal(a, 0, 5) + normal(b, 0, 2) + normal(mu, 0, 5);
    target += half_normal(tau, 2) + half_normal(sx, 1) + half_normal(sy, 1);
    target += normal(x, mu, tau);
    target.observe("x_observed", normal(x_observed, x, sx));
    target.observe("y", normal(y, a + b * x, sy));
  }
};

/// Four items that measure one factor: y_ij ~ N(lambda_j f_i, psi_j).
template <class Number>
struct Factor {
  manychain::Size<> N;
  manychain::Matrix<const Number> y;
  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("y", y, N, manychain::Size<4>{});
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto lambda = target.vector("lambda", manychain::Size<4>{}, manychain::lower(0));
    auto psi = target.vector("psi", manychain::Size<4>{}, manychain::lower(0));
    auto f = target.vector("f", N);
    target += half_normal(lambda, 2) + half_normal(psi, 2);
    target += normal(f, 0, 1);
    target.observe("y", N, [&](int i, auto& term) {
      for (int j = 0; j < 4; ++j) term += normal(y[i][j], lambda[j] * f[i], psi[j]);
    });
  }
};
