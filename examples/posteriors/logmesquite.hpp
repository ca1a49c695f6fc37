// mesquite-logmesquite: the weight of mesquite bushes on their measures (Gelman and Hill 2007).
#pragma once

#include "manychain/model.hpp"

/// log(weight) ~ N(X beta, sigma): X has a column of ones, the logarithms of five measures, and the group. Flat priors.
template <class Number>
struct Logmesquite {
  static constexpr int dimension = 8;
  manychain::Size<> N;
  manychain::View<const Number> log_weight;
  manychain::Matrix<const Number, 7> X;

  void data(manychain::DataReader& in) {
    using manychain::Column;
    in("N", N, manychain::lower(1));
    X = in.design<Number, 7>(N,
                             {Column::ones(), Column::log("diam1"), Column::log("diam2"), Column::log("canopy_height"),
                              Column::log("total_height"), Column::log("density"), Column::of("group")});
    log_weight = in.prepared<Number>(N, Column::log("weight"));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", manychain::Size<7>{});
    auto sigma = target.real("sigma", manychain::lower(0));
    target.observe("log_weight", normal(log_weight, X * beta, sigma));
  }
};
