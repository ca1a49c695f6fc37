// mcycle_gp-accel_gp: acceleration of a head in a crash (Silverman 1985), its mean and the logarithm of its sd
// approximate Gaussian processes, as brms writes it.
#pragma once

#include <vector>

#include "manychain/model.hpp"

/// Y ~ N(mu, exp(eta)), mu = Intercept + Xgp_1 (s * zgp_1), s_k = sdgp_1 sqrt(sqrt(2 pi) lscale_1) exp(-(lscale_1
/// slambda_1_k)^2 / 4), and eta likewise of what is named _sigma. Intercept ~ t_3(-13, 36), Intercept_sigma ~ t_3(0,
/// 10); every sdgp ~ half-t_3(0, 36), lscale ~ inverse gamma(1.124909, 0.0177), zgp ~ N(0, 1).
template <class Number>
struct AccelGp {
  manychain::Size<> N, basis, basis_sigma;
  manychain::View<const Number> Y, lambda, lambda_sigma;  // eigenvalues
  manychain::Matrix<const Number> X, X_sigma;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("NBgp_1", basis, manychain::lower(1));
    in("NBgp_sigma_1", basis_sigma, manychain::lower(1));
    in("Y", Y, N);
    in("Xgp_1", X, N, basis);
    in("Xgp_sigma_1", X_sigma, N, basis_sigma);
    const auto squares = [&](const char* name, int n) {
      std::vector<double> roots = in.values(name, std::vector<std::size_t>{static_cast<std::size_t>(n), 1});
      for (double& root : roots) root *= root;
      return roots;
    };
    lambda = in.keep<Number>(squares("slambda_1", basis.value()), basis);
    lambda_sigma = in.keep<Number>(squares("slambda_sigma_1", basis_sigma.value()), basis_sigma);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto intercept = target.real("Intercept");
    auto sd = target.real("sdgp_1", manychain::lower(0));
    auto length = target.real("lscale_1", manychain::lower(0));
    auto z = target.vector("zgp_1", basis);
    auto intercept_sigma = target.real("Intercept_sigma");
    auto sd_sigma = target.real("sdgp_sigma_1", manychain::lower(0));
    auto length_sigma = target.real("lscale_sigma_1", manychain::lower(0));
    auto z_sigma = target.vector("zgp_sigma_1", basis_sigma);
    target += student_t(intercept, 3, -13, 36) + student_t(intercept_sigma, 3, 0, 10);
    target += half_student_t(sd, 3, 36) + half_student_t(sd_sigma, 3, 36);
    target += inverse_gamma(length, 1.124909, 0.0177) + inverse_gamma(length_sigma, 1.124909, 0.0177);
    target += normal(z, 0, 1);
    target += normal(z_sigma, 0, 1);
    const double c = 2.5066282746310002;  // sqrt(2 pi)
    auto scale = let(sd * sqrt(c * length)), scale_sigma = let(sd_sigma * sqrt(c * length_sigma));
    auto rate = let(-0.25 * square(length)), rate_sigma = let(-0.25 * square(length_sigma));
    auto w = target.let(scale * exp(rate * lambda) * z);
    auto w_sigma = target.let(scale_sigma * exp(rate_sigma * lambda_sigma) * z_sigma);
    target.observe("Y", normal(Y, intercept + X * w, exp(intercept_sigma + X_sigma * w_sigma)));
  }
};
