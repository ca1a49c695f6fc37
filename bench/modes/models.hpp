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

/// Two of Student's t with five degrees of freedom.
template <class Number>
struct Students {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", manychain::Size<3>{});
    target += log_sum_exp(log(0.8) - 4 * log1p(sum(square(x + 2)) / 5), log(0.2) - 4 * log1p(sum(square(x - 6)) / 5));
  }
};

/// Two regression lines, which may be exchanged.
template <class Number>
struct Lines {
  manychain::Size<> N;
  manychain::View<const Number> x, y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("x", x, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto a = target.vector("a", manychain::Size<2>{});
    auto b = target.vector("b", manychain::Size<2>{});
    auto sigma = target.real("sigma", manychain::lower(0));
    target += normal(a, 0, 5) + normal(b, 0, 5) + half_normal(sigma, 1);
    target.observe("y", N, [&](int i, auto& term) {
      term += log_mix(0.5, normal(y[i], a[0] + b[0] * x[i], sigma), normal(y[i], a[1] + b[1] * x[i], sigma));
    });
  }
};

/// A ring around a round normal.
template <class Number>
struct Blob {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto y = target.real("y");
    auto r = let(sqrt(square(x) + square(y)));
    target += log_sum_exp(log(0.7) + normal(r, 4, 0.2) - log(r) - 1.8378771,
                          log(0.3) + normal(x, 0, 0.5) + normal(y, 0, 0.5));
  }
};

/// Two bananas.
template <class Number>
struct Bananas {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto y = target.real("y");
    target += log_sum_exp(log(0.65) + normal(x, 0, 1) + normal(y, square(x), 0.3),
                          log(0.35) + normal(x, 6, 1) + normal(y, -3 - square(x - 6), 0.3));
  }
};

/// A neural network of one hidden unit, whose sign may change.
template <class Number>
struct Hidden {
  manychain::Size<> N;
  manychain::View<const Number> x, y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("x", x, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto w = target.real("w");
    auto b = target.real("b");
    auto v = target.real("v");
    target += normal(w, 0, 3) + normal(b, 0, 3) + normal(v, 0, 3);
    target.observe("y", N, [&](int i, auto& term) { term += normal(y[i], v * tanh(w * x[i] + b), 0.3); });
  }
};

/// A level that changes once, at one of two times.
template <class Number>
struct Rates {
  manychain::Size<> N;
  manychain::View<const Number> t, y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("t", t, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto when = target.real("when", manychain::interval(0, 40));
    auto low = target.real("low");
    auto high = target.real("high");
    target += normal(low, 0, 3) + normal(high, 0, 3);
    target.observe("y", N, [&](int i, auto& term) {
      term += normal(y[i], low + (high - low) * inv_logit((t[i] - when) / 0.3), 1);
    });
  }
};

/// A sinusoid at whole times: frequencies f and 2 pi - f are the same, and a prior prefers one.
template <class Number>
struct Alias {
  manychain::Size<> N;
  manychain::View<const Number> t, y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("t", t, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto f = target.real("f", manychain::interval(0, 6.283185307));
    auto a = target.real("a");
    auto b = target.real("b");
    target += normal(a, 0, 2) + normal(b, 0, 2) + normal(f, 2, 2);
    target.observe("y", N,
                   [&](int i, auto& term) { term += normal(y[i], a * cos(f * t[i]) + b * sin(f * t[i]), 0.5); });
  }
};

/// A mixture of two normals of known shares: the wrong order of their means is a smaller mode.
template <class Number>
struct KnownShares {
  manychain::Size<> N;
  manychain::View<const Number> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto m = target.vector("m", manychain::Size<2>{});
    target += normal(m, 0, 5);
    target.observe("y", N,
                   [&](int i, auto& term) { term += log_mix(0.6, normal(y[i], m[0], 1), normal(y[i], m[1], 1)); });
  }
};

/// Two half moons of a ring.
template <class Number>
struct Moons {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto y = target.real("y");
    auto r = let(sqrt(square(x) + square(y)));
    target += -0.5 * square((r - 2) / 0.2) +
              log_sum_exp(log(0.75) - 0.5 * square((x - 2) / 0.4), log(0.25) - 0.5 * square((x + 2) / 0.4));
  }
};

/// Absorption and elimination of first order, whose rates flip.
template <class Number>
struct FlipFlop {
  manychain::Size<> N;
  manychain::View<const Number> t, y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("t", t, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto absorption = target.real("u");
    auto elimination = target.real("v");
    auto a = target.real("a");
    target += normal(absorption, 0, 1.5) + normal(elimination, 0, 1.5) + normal(a, 0, 5);
    auto p = let(exp(absorption));
    auto q = let(exp(elimination));
    target.observe("y", N, [&](int i, auto& term) {
      term += normal(y[i], a * p / (p - q) * (exp(-q * t[i]) - exp(-p * t[i])), 0.1);
    });
  }
};

/// Four curved modes, by Himmelblau (1972).
template <class Number>
struct Himmelblau {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto y = target.real("y");
    target += -0.1 * (square(square(x) + y - 11) + square(x + square(y) - 7));
  }
};

/// Eighteen modes in a box, as in the paper of MultiNest (Feroz and others 2009), tilted.
template <class Number>
struct EggCrate {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x", manychain::interval(0, 31.41592654));
    auto y = target.real("y", manychain::interval(0, 31.41592654));
    target += 5 * log(2 + cos(0.5 * x) * cos(0.5 * y)) + 0.03 * x;
  }
};

/// Two shells, as there.
template <class Number>
struct Shells {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", manychain::Size<5>{});
    auto r = let(sqrt(square(x[0] - 3.5) + square(x[1]) + square(x[2]) + square(x[3]) + square(x[4])));
    auto s = let(sqrt(square(x[0] + 3.5) + square(x[1]) + square(x[2]) + square(x[3]) + square(x[4])));
    target += log_sum_exp(log(0.3) + normal(r, 2, 0.2), log(0.7) + normal(s, 2, 0.2));
  }
};
