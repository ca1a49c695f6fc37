// diamonds-diamonds: log prices of diamonds on 24 terms of their measures, as brms writes it.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/model/data_reader.hpp"
#include "manychain/model/target.hpp"

namespace manychain::posteriors {

/// Xc: the columns of X but the first, less their means. Y ~ N(Intercept + Xc b, sigma), b ~ N(0, 1),
/// Intercept ~ t_3(8, 10), sigma ~ half-t_3(0, 10).
template <class Number>
struct Diamonds {
  static constexpr int dimension = 26;
  Size<> N;
  View<const Number> Y;
  Matrix<const Number, 24> Xc;

  void data(DataReader& in) {
    constexpr std::size_t terms = 24;
    Size<> columns;
    in("N", N, lower(1));
    in("K", columns, interval(25, 25));
    in("Y", Y, N);
    const std::size_t rows = static_cast<std::size_t>(N.value());
    const std::vector<double> x = in.values("X", std::vector<std::size_t>{rows, terms + 1});
    std::vector<double> centred(rows * terms);
    for (std::size_t k = 0; k < terms; ++k) {
      double mean = 0;
      for (std::size_t i = 0; i < rows; ++i) mean += x[i * (terms + 1) + k + 1] / static_cast<double>(rows);
      for (std::size_t i = 0; i < rows; ++i) centred[i * terms + k] = x[i * (terms + 1) + k + 1] - mean;
    }
    Xc = in.keep_matrix<Number, 24>(centred, N.value(), 24);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto b = target.vector("b", Size<24>{});
    auto intercept = target.real("Intercept");
    auto sigma = target.real("sigma", lower(0));
    target += normal(b, 0, 1);
    target += student_t(intercept, 3, 8, 10);
    target += student_t(sigma, 3, 0, 10);
    target.observe("Y", N, [&](auto i, auto& term) { term += normal(Y[i], intercept + dot(Xc[i], b), sigma); });
  }
};

}  // namespace manychain::posteriors
