// gp_pois_regr-gp_regr with its gradient by hand: what the one in examples/posteriors is compared with.
#pragma once

#include "manychain/model/language/data_reader.hpp"
#include "manychain/model/language/target.hpp"

namespace manychain::test {

/// y ~ N(0, K), K_ij = alpha^2 exp(-(x_i - x_j)^2 / (2 rho^2)) + sigma [i = j]; rho ~ gamma(25, 4), alpha ~ half-N(0,
/// 2), sigma ~ half-N(0, 1).
template <class Number>
struct GpRegrByHand {
  static constexpr int dimension = 3;
  static constexpr int most = 11;  // points: a chain has a matrix of its own
  Size<> N;
  View<const Number> x, y;

  void data(DataReader& in) {
    in("N", N, interval(1, most));
    in("x", x, N);
    in("y", y, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto rho = target.real("rho", lower(0));
    auto alpha = target.real("alpha", lower(0));
    auto sigma = target.real("sigma", lower(0));
    target += gamma(rho, 25, 4);
    target += half_normal(alpha, 2);
    target += half_normal(sigma, 1);

    using R = decltype(value(rho));
    const R a = value(alpha), s = value(sigma), inverse_rho = 1.0 / value(rho);
    const int n = N.value();
    R L[most][most], W[most][most], v[most];  // K = L L', W the inverse of L, v = W y
    const auto covariance = [&](int i, int j) {
      const R d = (x[i] - x[j]) * inverse_rho;
      return a * a * exp(-0.5 * (d * d));
    };
    R log_density = R(-half_log_two_pi * n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        R sum = covariance(i, j);
        if (i == j) sum += s;
        for (int k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
        L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
      }
      const R inverse = 1.0 / L[i][i];
      v[i] = R(0);
      for (int j = 0; j <= i; ++j) {
        R sum = R(i == j ? 1 : 0);
        for (int k = j; k < i; ++k) sum -= L[i][k] * W[k][j];
        W[i][j] = sum * inverse;
        v[i] += W[i][j] * y[j];
      }
      log_density -= 0.5 * (v[i] * v[i]) + log(L[i][i]);
    }
    // With u = K^-1 y the derivative is half the sum of (u_i u_j - (K^-1)_ij) dK_ij.
    R by_rho = R(0), by_alpha = R(0), by_sigma = R(0), u[most];
    for (int i = 0; i < n; ++i) {
      u[i] = R(0);
      for (int k = i; k < n; ++k) u[i] += W[k][i] * v[k];
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        R inverse = R(0);
        for (int k = i; k < n; ++k) inverse += W[k][i] * W[k][j];
        const R slope = u[i] * u[j] - inverse;  // of both halves of the matrix
        const R half = i == j ? R(0.5 * slope) : slope;
        const R c = half * covariance(i, j), d = (x[i] - x[j]) * inverse_rho;
        by_rho += c * (d * d);
        by_alpha += c;
        if (i == j) by_sigma += half;
      }
    target += elementary(log_density, partial(as_node(rho), by_rho * inverse_rho),
                         partial(as_node(alpha), 2.0 * by_alpha / a), partial(as_node(sigma), by_sigma));
  }
};

}  // namespace manychain::test
