// Predator and prey: hares u and lynxes v by the equations of Lotka and Volterra, observed with errors in proportion
// (Carpenter 2018, Predator-prey population dynamics: the Lotka-Volterra model in Stan).
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct LotkaVolterra {
  static constexpr int dimension = 8;
  manychain::Size<> N;
  manychain::View<const Number> ts, hares, lynxes;  // years after the first observation, pelts in thousands
  manychain::View<const Number, 2> y_init;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("ts", ts, N);
    in("y_init", y_init, manychain::Size<2>{}, manychain::lower(0));
    in("hares", hares, N, manychain::lower(0));
    in("lynxes", lynxes, N, manychain::lower(0));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto theta = target.vector("theta", manychain::Size<4>{}, manychain::lower(0));
    auto z_init = target.vector("z_init", manychain::Size<2>{}, manychain::lower(0));
    auto sigma = target.vector("sigma", manychain::Size<2>{}, manychain::lower(0));
    target += normal(theta[0], 1, 0.5) + normal(theta[2], 1, 0.5);
    target += normal(theta[1], 0.05, 0.05) + normal(theta[3], 0.05, 0.05);
    target += lognormal(sigma, -1, 1);
    target += lognormal(z_init, 2.302585092994046, 1);  // log(10)
    target += lognormal(y_init, log(z_init), sigma);

    const auto dz_dt = [](const auto&, const auto& z, const auto& rate) {
      return derivatives((rate[0] - rate[1] * z[1]) * z[0], (-rate[2] + rate[3] * z[0]) * z[1]);
    };
    auto z = target.ode_rk45_tol(dz_dt, z_init, 0.0, ts, 1e-6, 1e-5, 1000, theta);
    target.observe("hares", lognormal(hares, log(column(z, 0)), sigma[0]));
    target.observe("lynxes", lognormal(lynxes, log(column(z, 1)), sigma[1]));
  }
};
