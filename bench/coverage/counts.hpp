// Models of counts for bench/coverage/table.py: with exposure, overdispersed, with too many zeros, of animals seen
// again.
#pragma once

#include "manychain/model.hpp"

/// Cases by units with their own exposures, Poisson with a log link.
template <class Number>
struct Exposure {
  manychain::Size<> N, P;
  manychain::Matrix<const Number> X;
  manychain::View<const Number> exposure, log_exposure;
  manychain::View<const int> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("P", P);
    in("X", X, N, P);
    in("exposure", exposure, N, manychain::lower(0));
    log_exposure = in.prepared<Number>(N, manychain::Column::log("exposure"));
    in("y", y, N, manychain::integer(0));
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto alpha = target.real("alpha");
    auto beta = target.vector("beta", P);
    target += normal(alpha, -1, 1) + normal(beta, 0, 0.5);
    target.observe("y", poisson_log(y, log_exposure + alpha + X * beta));
  }
};

/// Counts whose variance exceeds their mean: a negative binomial regression.
template <class Number>
struct Overdispersed {
  manychain::Size<> N, P;
  manychain::Matrix<const Number> X;
  manychain::View<const int> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("P", P);
    in("X", X, N, P);
    in("y", y, N, manychain::integer(0));
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto alpha = target.real("alpha");
    auto beta = target.vector("beta", P);
    auto phi = target.real("phi", manychain::lower(0));
    target += normal(alpha, 1, 1) + normal(beta, 0, 0.5) + gamma(phi, 2, 0.5);
    target.observe("y", neg_binomial_2_log(y, alpha + X * beta, phi));
  }
};

/// Zeros of two kinds: those of a Poisson regression, and others.
template <class Number>
struct ZeroInflated {
  manychain::Size<> N;
  manychain::View<const Number> x;
  manychain::View<const int> y;
  void data(manychain::DataReader& in) {
    in("N", N);
    in("x", x, N);
    in("y", y, N, manychain::integer(0));
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto p = target.real("p", manychain::interval(0, 1));
    auto alpha = target.real("alpha");
    auto slope = target.real("slope");
    target += beta(p, 2, 2) + normal(alpha, 0.5, 0.7) + normal(slope, 0, 0.7);
    target.observe("y", N, [&](int i, auto& term) {
      if (y[i] == 0)
        term += log_sum_exp(log(p), log1m(p) + poisson_log(0, alpha + slope * x[i]));
      else
        term += log1m(p) + poisson_log(y[i], alpha + slope * x[i]);
    });
  }
};

/// Cormack, Jolly and Seber: animals that are marked at one of T visits are seen again, or not, until they die.
/// Survival is constant, the probability of a sighting is one of each visit.
template <class Number>
struct Recapture {
  manychain::Size<> T, N;
  manychain::View<const int> first, last;  // visits, counted from 1
  manychain::Matrix<const int> seen;
  void data(manychain::DataReader& in) {
    in("T", T, manychain::lower(2));
    in("N", N);
    in("first", first, N, manychain::integer(1));
    in("last", last, N, manychain::integer(1));
    in("seen", seen, N, T, manychain::integer(0, 1));
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto phi = target.real("phi", manychain::interval(0, 1));
    auto p = target.vector("p", T, manychain::interval(0, 1));
    target += beta(phi, 4, 2) + beta(p, 2, 2);
    // The last element is one, element T - 2 - t is of those that are alive at visit t and are not seen after it.
    auto never = target.scan(T, 1 + 0 * phi,
                             [&](int s, const auto& later) { return 1 - phi + phi * (1 - p[T.value() - s]) * later; });
    target.observe("seen", N, [&](int i, auto& term) {
      for (int t = first[i]; t < last[i]; ++t) term += log(phi) + (seen[i][t] == 1 ? log(p[t]) : log1m(p[t]));
      term += log(never[T.value() - last[i]]);
    });
  }
};
