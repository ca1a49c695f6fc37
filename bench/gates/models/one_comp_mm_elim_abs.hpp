// one_comp_mm_elim_abs-one_comp_mm_elim_abs: the concentration of a drug in one compartment, absorbed at a first-order
// rate and eliminated after Michaelis and Menten (Betancourt, stat_comp_benchmarks).
#pragma once

#include "manychain/model.hpp"

/// dC/dt = k_a exp(-k_a t) D / V - (V_m / V) C / (K_m + C), C(t0) = C0 in mg / L; D: the dose in mg, V: the volume in
/// L, times in days. C_hat ~ lognormal(log(C), sigma), half-Cauchy priors of scale 1.
template <class Number>
struct OneCompartment {
  static constexpr int dimension = 4;
  manychain::Scalar<Number> t0, C0, D, V;
  manychain::Size<> N_t;
  manychain::View<const Number> times, C_hat;

  void data(manychain::DataReader& in) {
    in("t0", t0);
    in("C0", C0, manychain::lower(0));
    in("D", D, manychain::lower(0));
    in("V", V, manychain::lower(0));
    in("N_t", N_t, manychain::lower(1));
    in("times", times, N_t, manychain::lower(0));
    in("C_hat", C_hat, N_t, manychain::lower(0));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto k_a = target.real("k_a", manychain::lower(0));
    auto K_m = target.real("K_m", manychain::lower(0));
    auto V_m = target.real("V_m", manychain::lower(0));
    auto sigma = target.real("sigma", manychain::lower(0));
    target += cauchy(k_a, 0, 1) + cauchy(K_m, 0, 1) + cauchy(V_m, 0, 1) + cauchy(sigma, 0, 1);

    const auto dC_dt = [&](const auto& t, const auto& C, const auto& rate, const auto& half, const auto& largest) {
      return derivatives(rate * exp(-rate * t) * D / V - largest / V * C[0] / (half + C[0]));
    };
    const auto initial = vector_of(manychain::Size<1>{}, [&](int) { return C0; });
    auto C = target.ode_rk45(dC_dt, initial, t0, times, k_a, K_m, V_m);
    target.observe("C_hat", lognormal(C_hat, log(column(C, 0)), sigma));
  }
};
