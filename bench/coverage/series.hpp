// Series for bench/coverage/table.py: autoregression, local level, stochastic volatility, hidden states, a change
// point.
#pragma once

#include <cmath>

#include "manychain/model.hpp"

/// A stationary autoregression whose persistence may be close to one.
template <class Number>
struct Autoregression {
  manychain::Size<> T;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("T", T, manychain::lower(2));
    in("y", y, T);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto phi = target.real("phi", manychain::interval(-1, 1));
    auto sigma = target.real("sigma", manychain::lower(0));
    target += normal(mu, 0, 2) + half_normal(sigma, 1);
    target += beta(0.5 * (phi + 1), 20, 1.5);
    target.observe("y", T, [&](int t, auto& term) {
      if (t == 0)
        term += normal(y[0], mu, sigma / sqrt(1 - square(phi)));
      else
        term += normal(y[t], mu + phi * (y[t - 1] - mu), sigma);
    });
  }
};

/// A level that walks at random, observed with noise.
template <class Number>
struct LocalLevel {
  manychain::Size<> T;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("T", T, manychain::lower(2));
    in("y", y, T);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto tau = target.real("tau", manychain::lower(0));
    auto sigma = target.real("sigma", manychain::lower(0));
    auto level = target.vector("level", T);
    target += half_normal(tau, 0.5) + half_normal(sigma, 1) + normal(level[0], 0, 2);
    target += normal(segment(level, 1, T.value() - 1), segment(level, 0, T.value() - 1), tau);
    target.observe("y", normal(y, level, sigma));
  }
};

/// A local level whose parameters are the noise in units of its scale: LocalLevel for series whose noise may be small.
template <class Number>
struct LocalNoise {
  manychain::Size<> T;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("T", T, manychain::lower(2));
    in("y", y, T);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto tau = target.real("tau", manychain::lower(0));
    auto sigma = target.real("sigma", manychain::lower(0));
    auto u = target.vector("u", T);
    auto level = target.let(y + sigma * u);
    target += half_normal(tau, 0.5) + half_normal(sigma, 1) + normal(level[0], 0, 2);
    target += normal(segment(level, 1, T.value() - 1), segment(level, 0, T.value() - 1), tau);
    target += normal(u, 0, 1);
    target.derived("level", level);
  }
};

/// Returns whose log variance is an autoregression.
template <class Number>
struct Volatility {
  manychain::Size<> T;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("T", T, manychain::lower(2));
    in("y", y, T);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto phi = target.real("phi", manychain::interval(-1, 1));
    auto scale = target.real("scale", manychain::lower(0));
    auto shock = target.vector("shock", T);
    target += normal(mu, -1, 1) + beta(0.5 * (phi + 1), 20, 1.5) + half_normal(scale, 0.5);
    target += normal(shock, 0, 1);
    auto h = target.scan(T, mu + scale / sqrt(1 - square(phi)) * shock[0],
                         [&](int t, const auto& before) { return mu + phi * (before - mu) + scale * shock[t]; });
    target.observe("y", normal(y, 0, exp(0.5 * h)));
    target.derived("h", h);
  }
};

/// A hidden Markov model of two states with ordered means.
template <class Number>
struct Regimes {
  manychain::Size<> T;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("T", T, manychain::lower(2));
    in("y", y, T);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.ordered("mu", 2);
    auto stay = target.vector("stay", 2, manychain::interval(0, 1));
    auto sigma = target.real("sigma", manychain::lower(0));
    target += normal(mu, 0, 2) + beta(stay, 8, 2);
    target += lognormal(sigma, 0, 0.3);
    auto forward = target.scan(
        T,
        manychain::states(normal(y[0], mu[0], sigma) - manychain::log_two,
                          normal(y[0], mu[1], sigma) - manychain::log_two),
        [&](int t, const auto& low, const auto& high) {
          return manychain::states(log_sum_exp(low + log(stay[0]), high + log1m(stay[1])) + normal(y[t], mu[0], sigma),
                                   log_sum_exp(low + log1m(stay[0]), high + log(stay[1])) + normal(y[t], mu[1], sigma));
        });
    const auto last = forward[T.value() - 1];
    target.observe("y", log_sum_exp(last[0], last[1]));
  }
};

/// Counts whose rate changes once; the time of the change is summed out.
template <class Number>
struct ChangePoint {
  manychain::Size<> T;
  manychain::View<const int> y;
  void data(manychain::DataReader& in) {
    in("T", T, manychain::lower(2));
    in("y", y, T, manychain::integer(0));
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto early = target.real("early", manychain::lower(0));
    auto late = target.real("late", manychain::lower(0));
    target += gamma(early, 2, 1) + gamma(late, 2, 1);
    // A state has the log density of the counts so far without a change, and that with one, which comes before 1 .. T
    // - 1.
    auto path = target.scan(
        T.value() - 1,
        manychain::states(poisson(y[0], early) + poisson(y[1], early), poisson(y[0], early) + poisson(y[1], late)),
        [&](int t, const auto& none, const auto& one) {
          return manychain::states(none + poisson(y[t + 1], early), log_sum_exp(none, one) + poisson(y[t + 1], late));
        });
    target.observe("y", path[T.value() - 2][1] - std::log(T.value() - 1.0));
  }
};
