// mesquite-logmesquite_logva: the weight of mesquite bushes on volume and area of their canopies (Gelman and Hill
// 2007).
#pragma once

#include "manychain/model.hpp"

/// log(weight) ~ N(X beta, sigma): X has a column of ones, log(diam1 diam2 canopy_height), log(diam1 diam2), and the
/// group. Flat priors.
template <class Number>
struct LogmesquiteLogva {
  static constexpr int dimension = 5;
  manychain::Size<> N;
  manychain::View<const Number> log_weight;
  manychain::Matrix<const Number, 4> X;

  void data(manychain::DataReader& in) {
    using manychain::Column;
    in("N", N, manychain::lower(1));
    const Column volume = Column::product("diam1", "diam2", "canopy_height"), area = Column::product("diam1", "diam2");
    X = in.design<Number, 4>(N, {Column::ones(), Column::log(volume), Column::log(area), Column::of("group")});
    log_weight = in.prepared<Number>(N, Column::log("weight"));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", manychain::Size<4>{});
    auto sigma = target.real("sigma", manychain::lower(0));
    target.observe("log_weight", normal(log_weight, X * beta, sigma));
  }
};
