// mesquite-logmesquite_logvash: the weight of mesquite bushes on volume, area and shape of their canopies and on their
// height (Gelman and Hill 2007).
#pragma once

#include <vector>

#include "manychain/model.hpp"

/// log(weight) ~ N(beta[1] + beta[2] log_volume + beta[3] log_area + beta[4] log_shape + beta[5] log_height + beta[6]
/// group, sigma), the logarithms of diam1 diam2 canopy_height, diam1 diam2, diam1 / diam2 and total_height; flat
/// priors.
template <class Number>
struct LogmesquiteLogvash {
  static constexpr int dimension = 7;
  manychain::Size<> N;
  manychain::View<const Number> log_weight, log_volume, log_area, log_shape, log_height, group;

  void data(manychain::DataReader& in) {
    using manychain::Column;
    in("N", N, manychain::lower(1));
    in("group", group, N);
    log_volume = in.prepared<Number>(N, Column::log(Column::product("diam1", "diam2", "canopy_height")));
    log_area = in.prepared<Number>(N, Column::log(Column::product("diam1", "diam2")));
    log_height = in.prepared<Number>(N, Column::log("total_height"));
    std::vector<double> shape = in.column(Column::log("diam1"), N.value());
    const std::vector<double> log_diam2 = in.column(Column::log("diam2"), N.value());
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] -= log_diam2[i];
    log_shape = in.keep<Number>(shape, N);
    log_weight = in.prepared<Number>(N, Column::log("weight"));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", manychain::Size<6>{});
    auto sigma = target.real("sigma", manychain::lower(0));
    target.observe("log_weight", normal(log_weight,
                                        beta[0] + beta[1] * log_volume + beta[2] * log_area + beta[3] * log_shape +
                                            beta[4] * log_height + beta[5] * group,
                                        sigma));
  }
};
