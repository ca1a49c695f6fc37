// Growth of five orange trees (Draper and Smith 1981, Applied Regression Analysis, exercise 24.N; `Orange` of R), with
// times in days as they come: nearly everywhere the curves are flat, and paths find nothing. The priors are those of
// "Orange trees" and "Multivariate orange trees", BUGS examples, volume 2.
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct Growth {
  manychain::View<const Number> days;
  manychain::Matrix<const Number> girth;

  void data(manychain::DataReader& in) {
    in("days", days, 7);
    in("girth", girth, 5, 7);
  }
  template <class Target, class Theta, class Precision>
  MANYCHAIN_HD void observe(Target& target, const Theta& theta, const Precision& precision) const {
    target += gamma(precision, 0.001, 0.001);
    auto sigma = let(1 / sqrt(precision));
    target.observe("girth", 5, [&](int i, auto& term) {
      auto largest = let(exp(theta[i][0]));
      auto ratio = let(exp(theta[i][1]) - 1);
      auto rate = let(exp(theta[i][2]));
      for (int j = 0; j < 7; ++j) term += normal(girth[i][j], largest / (1 + ratio * exp(-rate * days[j])), sigma);
    });
  }
};

/// Effects of a tree are correlated.
template <class Number>
struct CorrelatedTrees : Growth<Number> {
  manychain::Matrix<const Number> R;

  void data(manychain::DataReader& in) {
    Growth<Number>::data(in);
    in("R", R, 3, 3);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.vector("mu", 3);
    auto Sigma = target.cov_matrix("Sigma", 3);
    auto precision = target.real("precision", manychain::lower(0));
    auto theta = target.matrix("theta", 5, 3);
    target += normal(mu, 0, 1000);
    target += inv_wishart(Sigma, 3, R);
    target += multi_normal(theta, mu, Sigma);
    this->observe(target, theta, precision);
  }
};

template <class Number>
struct IndependentTrees : Growth<Number> {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.vector("mu", 3);
    auto tau = target.vector("tau", 3, manychain::lower(0));
    auto precision = target.real("precision", manychain::lower(0));
    auto theta = target.matrix("theta", 5, 3);
    target += normal(mu, 0, 100) + gamma(tau, 0.001, 0.001);
    for (int k = 0; k < 3; ++k) target += normal(column(theta, k), mu[k], 1 / sqrt(tau[k]));
    this->observe(target, theta, precision);
  }
};

inline manychain::Data orange_trees() {
  manychain::Data data;
  data.set("days", {118, 484, 664, 1004, 1231, 1372, 1582});
  data.set("girth", {30,  58,  87,  115, 120, 142, 145, 33,  69,  111, 156, 172, 203, 203, 30,  51,  75, 108,
                     115, 139, 140, 32,  62,  112, 167, 179, 209, 214, 30,  49,  81,  125, 142, 174, 177},
           {5, 7});
  data.set("R", {0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1}, {3, 3});
  return data;
}
