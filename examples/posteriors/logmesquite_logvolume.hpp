// mesquite-logmesquite_logvolume: the weight of mesquite bushes on the volume of their canopies (Gelman and Hill 2007).
#pragma once

#include "manychain/model.hpp"

/// log(weight_i) ~ N(beta[1] + beta[2] log(diam1_i diam2_i canopy_height_i), sigma); flat priors.
template <class Number>
struct LogmesquiteLogvolume {
  static constexpr int dimension = 3;
  manychain::Size<> N;
  manychain::View<const Number> log_weight, log_volume;

  void data(manychain::DataReader& in) {
    using manychain::Column;
    in("N", N, manychain::lower(1));
    log_volume = in.prepared<Number>(N, Column::log(Column::product("diam1", "diam2", "canopy_height")));
    log_weight = in.prepared<Number>(N, Column::log("weight"));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", manychain::Size<2>{});
    auto sigma = target.real("sigma", manychain::lower(0));
    target.observe("log_weight", normal(log_weight, beta[0] + beta[1] * log_volume, sigma));
  }
};
