// Hierarchies in the units in which their data come, for bench/hierarchies/errors.py.
#pragma once

#include "manychain/model.hpp"

/// Reaction times in ms of people on ten days, each with an intercept and a slope of its own, and a correlation of the
/// two: the model of `sleepstudy` of lme4 (Bates and others 2015, J. Stat. Softw. 67(1), section 1.2).
template <class Number>
struct ReactionTimes {
  manychain::Size<> N, J;
  manychain::View<const int> person;
  manychain::View<const Number> day, y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("J", J);
    in("person", person, N, manychain::integer(1, J));
    in("day", day, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto b = target.vector("b", 2);
    auto tau = target.vector("tau", 2, manychain::lower(0));
    auto L = target.cholesky_corr("L", 2);
    auto sigma = target.real("sigma", manychain::lower(0));
    auto u = target.matrix("u", J, 2);
    target += normal(b, 0, 1000) + half_cauchy(tau, 50);
    target += half_cauchy(sigma, 50) + lkj_corr_cholesky(L, 1);
    target += multi_normal_cholesky(u, b, diag_pre_multiply(tau, L));
    target.observe("y", N, [&](auto i, auto& term) {
      term += normal(y[i], u[person[i] - 1][0] + u[person[i] - 1][1] * day[i], sigma);
    });
  }
};

/// A yearly series with a level and a slope that change (the local linear trend of Durbin and Koopman 2012, section
/// 3.2), 200 of them as parameters.
template <class Number>
struct LocalTrend {
  manychain::Size<> N;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(2));
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto sigma_level = target.real("sigma_level", manychain::lower(0));
    auto sigma_slope = target.real("sigma_slope", manychain::lower(0));
    auto sigma = target.real("sigma", manychain::lower(0));
    auto level = target.vector("level", N);
    auto slope = target.vector("slope", N);
    target += half_cauchy(sigma_level, 100) + half_cauchy(sigma_slope, 10) + half_cauchy(sigma, 100);
    target += normal(level[0], 0, 10000) + normal(slope[0], 0, 1000);
    for (int i = 1; i < N.value(); ++i) {
      target += normal(level[i], level[i - 1] + slope[i - 1], sigma_level);
      target += normal(slope[i], slope[i - 1], sigma_slope);
    }
    target.observe("y", N, [&](auto i, auto& term) { term += normal(y[i], level[i], sigma); });
  }
};
