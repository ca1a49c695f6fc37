// A regression from the file to the density, as docs/models.md shows it: a design matrix of prepared columns, data that
// are observed on another scale, several columns of one matrix.
#pragma once

#include "manychain/model.hpp"

/// log(earn) of N people by height, sex, education (1, 2, 3) and height of men.
template <class Number>
struct Earnings {
  manychain::Size<> N;
  manychain::Matrix<const Number, 6> X;    // what in.design<Number, 6>() gives
  manychain::View<const Number> log_earn;  // what in.prepared<Number>() gives

  void data(manychain::DataReader& in) {
    using manychain::Column;
    in("N", N, manychain::lower(1));
    X = in.design<Number, 6>(
        N, {Column::ones(), Column::standardised("height"), Column::of("male"), Column::equal("education", 2),
            Column::equal("education", 3), Column::product(Column::standardised("height"), "male")});
    log_earn = in.prepared<Number>(N, Column::log("earn"));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", X.columns());
    auto sigma = target.real("sigma", manychain::lower(0));
    target += normal(beta, 0, 5) + half_normal(sigma, 2);
    target.observe("earn", normal(log_earn, X * beta, sigma));
    target.predict("earn_rep", N, [&](auto i) { return lognormal_distribution(dot(X[i], beta), sigma); });
  }
};

/// Two measurements of each of N objects, the columns of one matrix.
template <class Number>
struct Measurements {
  manychain::Size<> N;
  manychain::Matrix<const Number, 2> y;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("y", y, N, 2);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.vector("mu", manychain::Size<2>{});
    auto sigma = target.vector("sigma", manychain::Size<2>{}, manychain::lower(0));
    target += normal(mu, 0, 5) + lognormal(sigma, 0, 1);
    target.observe("y", N, [&](int i, auto& term) {
      term += normal(y[i][0], mu[0], sigma[0]) + normal(y[i][1], mu[1], sigma[1]);
    });
    target.predict("y_rep", 2 * N.value(), [&](int e) { return normal_distribution(mu[e % 2], sigma[e % 2]); });
  }
};
