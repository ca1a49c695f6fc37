// Posteriors of two or more modes, for bench/modes/table.py.
#pragma once

#include "manychain/model.hpp"

/// A mixture of round normals, log_w[k] = log(weight) - D log(sd[k]).
template <class Number>
struct Normals {
  manychain::Size<> K, D;
  manychain::View<const Number> log_w, sd;
  manychain::Matrix<const Number> mean;
  void data(manychain::DataReader& in) {
    in("K", K);
    in("D", D);
    in("log_w", log_w, K);
    in("sd", sd, K);
    in("mean", mean, K, D);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", D);
    target += log_sum_exp(
        manychain::vector_of(K, [&](int k) { return log_w[k] - 0.5 * sum(square((x - mean[k]) / sd[k])); }));
  }
};

/// A ring of radius 10, and a round normal at (30, 0).
template <class Number>
struct Ring {
  manychain::Scalar<Number> log_w, log_rest;
  void data(manychain::DataReader& in) {
    in("log_w", log_w);
    in("log_rest", log_rest);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto y = target.real("y");
    auto r = let(sqrt(square(x) + square(y)));
    target += log_sum_exp(log_rest + normal(r, 10, 0.1) - log(r), log_w + normal(x, 30, 0.1) + normal(y, 0, 0.1));
  }
};

/// Rings of radius 5 and 8 around (0, 0) and (30, 0), and two normal dimensions.
template <class Number>
struct TwoRings {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", manychain::Size<4>{});
    auto r = let(sqrt(square(x[0]) + square(x[1])));
    auto s = let(sqrt(square(x[0] - 30) + square(x[1])));
    target += log_sum_exp(log(0.6) + normal(r, 5, 0.3) - log(r), log(0.4) + normal(s, 8, 0.3) - log(s));
    target += normal(x[2], 0, 1) + normal(x[3], 0, 1);
  }
};

/// A mixture of three normals, whose labels may be exchanged.
template <class Number>
struct Labels {
  manychain::Size<> N;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.vector("mu", manychain::Size<3>{});
    auto sigma = target.vector("sigma", manychain::Size<3>{}, manychain::lower(0));
    auto w = target.simplex("w", manychain::Size<3>{});
    target += normal(mu, 0, 10) + half_normal(sigma, 2) + dirichlet(w, 4);
    target.observe("y", N, [&](auto n, auto& term) {
      term += log_sum_exp(
          manychain::vector_of(manychain::Size<3>{}, [&](int k) { return log(w[k]) + normal(y[n], mu[k], sigma[k]); }));
    });
  }
};

/// As Labels, with an order of them.
template <class Number>
struct OrderedLabels {
  manychain::Size<> N;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.ordered("mu", manychain::Size<3>{});
    auto sigma = target.vector("sigma", manychain::Size<3>{}, manychain::lower(0));
    auto w = target.simplex("w", manychain::Size<3>{});
    target += normal(mu, 0, 10) + half_normal(sigma, 2) + dirichlet(w, 4);
    target.observe("y", N, [&](auto n, auto& term) {
      term += log_sum_exp(
          manychain::vector_of(manychain::Size<3>{}, [&](int k) { return log(w[k]) + normal(y[n], mu[k], sigma[k]); }));
    });
  }
};

/// A sinusoid of unknown frequency: many local modes.
template <class Number>
struct Sinusoid {
  manychain::Size<> N;
  manychain::View<const Number> t, y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("t", t, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto f = target.real("f", manychain::interval(0, 5));
    auto a = target.real("a");
    auto b = target.real("b");
    target += normal(a, 0, 1) + normal(b, 0, 1);
    target.observe("y", N,
                   [&](int i, auto& term) { term += normal(y[i], a * cos(f * t[i]) + b * sin(f * t[i]), 0.5); });
  }
};

/// A level that changes once.
template <class Number>
struct Change {
  manychain::Size<> N;
  manychain::View<const Number> t, y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("t", t, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto when = target.real("when", manychain::interval(0, 1));
    auto before = target.real("before");
    auto after = target.real("after");
    target += normal(before, 0, 3) + normal(after, 0, 3);
    target.observe("y", N, [&](int i, auto& term) {
      term += normal(y[i], before + (after - before) * inv_logit((t[i] - when) / 0.002), 0.5);
    });
  }
};

/// A funnel, and a spike outside of it.
template <class Number>
struct FunnelAndSpike {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto v = target.real("v");
    auto x = target.vector("x", manychain::Size<4>{});
    auto scale = let(exp(0.5 * v));
    target += log_sum_exp(-0.5 * square(v / 1.5) - 2 * v - 0.5 * sum(square(x / scale)) - 0.4054651,
                          -0.5 * square((v - 8) / 0.1) - 0.5 * sum(square((x + 10) / 0.1)) + 11.5129255);
  }
};

/// A location with the tails of Cauchy, of data in two places.
template <class Number>
struct Location {
  manychain::Size<> N;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto m = target.real("m");
    target += normal(m, 0, 100);
    target.observe("y", cauchy(y, m, 0.2));
  }
};

/// Probabilities with their mass at both ends.
template <class Number>
struct Ends {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto p = target.real("p", manychain::interval(0, 1));
    target += log_mix(0.3, beta(p, 2, 200), beta(p, 2000, 20));
  }
};

/// A product that is known: both factors may change their signs.
template <class Number>
struct Product {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto y = target.real("y");
    target += normal(x, 0, 3) + normal(y, 0, 3) + normal(x * y, 8, 0.1);
  }
};

/// A sum of two exponentials, whose labels may be exchanged.
template <class Number>
struct Decays {
  manychain::Size<> N;
  manychain::View<const Number> t, y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("t", t, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto a = target.vector("a", manychain::Size<2>{}, manychain::lower(0));
    auto k = target.vector("k", manychain::Size<2>{}, manychain::lower(0));
    target += half_normal(a, 3) + lognormal(k, 0, 2);
    target.observe("y", N, [&](int i, auto& term) {
      term += normal(y[i], a[0] * exp(-k[0] * t[i]) + a[1] * exp(-k[1] * t[i]), 0.05);
    });
  }
};

/// A field with two wells.
template <class Number>
struct Field {
  manychain::Size<> D;
  manychain::Scalar<Number> tilt;
  void data(manychain::DataReader& in) {
    in("D", D);
    in("tilt", tilt);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", D);
    target.sum_over(D, [&](int i, auto& term) { term += tilt * x[i] - 2 * square(square(x[i]) - 1); });
    target.sum_over(D.value() - 1, [&](int i, auto& term) { term += -4 * square(x[i + 1] - x[i]); });
  }
};

/// Independent double wells: 2^D modes, nearly discrete.
template <class Number>
struct Wells {
  manychain::Size<> D;
  manychain::Scalar<Number> tilt;
  void data(manychain::DataReader& in) {
    in("D", D);
    in("tilt", tilt);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", D);
    target.sum_over(
        D, [&](int i, auto& term) { term += log_sum_exp(tilt + normal(x[i], 1, 0.1), normal(x[i], -1, 0.1)); });
  }
};

/// One factor: loadings and scores may change their signs.
template <class Number>
struct Factor {
  manychain::Size<> N, J;
  manychain::Matrix<const Number> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("J", J);
    in("y", y, N, J);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto loading = target.vector("loading", J);
    auto score = target.vector("score", N);
    auto sigma = target.real("sigma", manychain::lower(0));
    target += normal(loading, 0, 1) + normal(score, 0, 1) + half_normal(sigma, 1);
    target.observe("y", N, [&](int i, auto& term) { term += normal(y[i], loading * score[i], sigma); });
  }
};
