// Nonlinear regressions with few rows, whose posteriors may have tails along curves: bench/tails/table.py runs them.
#pragma once

#include "manychain/model.hpp"

namespace manychain::bench {

template <class Number>
struct FewRows {
  Size<> N;
  View<const Number> x, y;
  Scalar<Number> s;
  void data(DataReader& in) {
    in("N", N, lower(1));
    in("x", x, N);
    in("y", y, N);
    in("s", s, lower(0));
  }
};

/// A decay to a plateau.
template <class Number>
struct Decay : FewRows<Number> {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto log_k = target.real("log_k");
    auto h = target.real("h");
    auto c = target.real("c");
    target += normal(log_k, 0, 3) + normal(h, 0, 3) + normal(c, 0, 1);
    auto k = target.let(exp(log_k));
    target.observe("y", normal(this->y, h * exp(-k * this->x) + c, this->s));
  }
};

/// Likewise, with a prior that knows the rate.
template <class Number>
struct KnownDecay : FewRows<Number> {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto log_k = target.real("log_k");
    auto h = target.real("h");
    auto c = target.real("c");
    target += normal(log_k, -0.5, 1) + normal(h, 0, 3) + normal(c, 0, 1);
    auto k = target.let(exp(log_k));
    target.observe("y", normal(this->y, h * exp(-k * this->x) + c, this->s));
  }
};

/// A logistic step of unknown place and steepness.
template <class Number>
struct Step : FewRows<Number> {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto m = target.real("m");
    auto log_k = target.real("log_k");
    auto h = target.real("h");
    auto c = target.real("c");
    target += normal(m, 5, 3) + normal(log_k, 0, 1.5) + normal(h, 0, 2) + normal(c, 0, 1);
    auto k = target.let(exp(log_k));
    target.observe("y", normal(this->y, h * inv_logit(k * (this->x - m)) + c, this->s));
  }
};

/// A Gaussian peak of unknown place and width, on a constant.
template <class Number>
struct Peak : FewRows<Number> {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto m = target.real("m", interval(0, 10));
    auto w = target.real("w", lower(0));
    auto h = target.real("h");
    auto c = target.real("c");
    target += lognormal(w, 0, 0.7) + normal(h, 0, 2) + normal(c, 0, 1);
    target.observe("y", normal(this->y, h * exp(-0.5 * square((this->x - m) / w)) + c, this->s));
  }
};

/// Michaelis and Menten's saturation.
template <class Number>
struct Saturation : FewRows<Number> {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto log_k = target.real("log_k");
    auto h = target.real("h");
    target += normal(log_k, 0, 2) + normal(h, 0, 5);
    auto k = target.let(exp(log_k));
    target.observe("y", normal(this->y, h * this->x / (k + this->x), this->s));
  }
};

}  // namespace manychain::bench
