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

/// A decay to a plateau, with a prior of the logarithm of its rate. Large h go with large rates: the earliest rows tell
/// no more than h exp(-k x).
template <class Number>
struct AnyDecay : FewRows<Number> {
  template <class Target>
  MANYCHAIN_HD void decay(Target& target, double prior_mean, double prior_sd) const {
    auto log_k = target.real("log_k");
    auto h = target.real("h");
    auto c = target.real("c");
    target += normal(log_k, prior_mean, prior_sd) + normal(h, 0, 3) + normal(c, 0, 1);
    auto k = target.let(exp(log_k));
    target.observe("y", normal(this->y, h * exp(-k * this->x) + c, this->s));
  }
};
template <class Number>
struct Decay : AnyDecay<Number> {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    this->decay(target, 0, 3);
  }
};
/// The rate is known better.
template <class Number>
struct KnownDecay : AnyDecay<Number> {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    this->decay(target, -0.5, 1);
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
