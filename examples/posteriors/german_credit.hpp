// german_credit_numeric_logistic_regression: credits that were repaid, on 24 features (UCI Statlog).
#pragma once

#include "manychain/model.hpp"

/// y ~ Bernoulli(inv_logit(Z weights)), weights ~ N(0, 1). Z is X with every column standardised, and a column of ones
/// behind them.
template <class Number>
struct GermanCredit {
  static constexpr int dimension = 25;
  manychain::Size<> N;
  manychain::Matrix<const Number, 25> Z;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("y", y, N, manychain::integer(0, 1));
    const std::vector<double> X = in.values("X", std::vector<std::size_t>{static_cast<std::size_t>(N.value()), 24});
    Z = in.keep_matrix<Number, 25>(manychain::with_ones(manychain::standardised(X, 24), 24, true), N.value(), 25);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto weights = target.vector("weights", manychain::Size<25>{});
    target += normal(weights, 0, 1);
    target.observe("y", bernoulli_logit(y, Z * weights));
  }
};
