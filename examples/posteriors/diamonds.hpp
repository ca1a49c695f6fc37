// diamonds-diamonds: log prices of diamonds on 24 terms of their measures, as brms writes it.
#pragma once

#include "manychain/model.hpp"

/// Xc: the columns of X but the first, less their means. Y ~ N(Intercept + Xc b, sigma), b ~ N(0, 1),
/// Intercept ~ t_3(8, 10), sigma ~ half-t_3(0, 10).
template <class Number>
struct Diamonds {
  static constexpr int dimension = 26;
  manychain::Size<> N;
  manychain::View<const Number> Y;
  manychain::Matrix<const Number, 24> Xc;

  void data(manychain::DataReader& in) {
    manychain::Size<> K;
    in("N", N, manychain::lower(1));
    in("K", K, manychain::interval(25, 25));
    in("Y", Y, N);
    const std::size_t rows = static_cast<std::size_t>(N.value());
    const std::vector<double> X = in.values("X", std::vector<std::size_t>{rows, 25});
    std::vector<double> terms;
    for (std::size_t i = 0; i < rows; ++i) terms.insert(terms.end(), X.begin() + i * 25 + 1, X.begin() + (i + 1) * 25);
    Xc = in.keep_matrix<Number, 24>(manychain::centred(terms, 24), N.value(), 24);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto b = target.vector("b", manychain::Size<24>{});
    auto intercept = target.real("Intercept");
    auto sigma = target.real("sigma", manychain::lower(0));
    target += normal(b, 0, 1);
    target += student_t(intercept, 3, 8, 10) + student_t(sigma, 3, 0, 10);
    target.observe("Y", normal(Y, intercept + Xc * b, sigma));
  }
};
