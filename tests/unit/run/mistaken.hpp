// A model whose data say which mistakes it makes.
#pragma once

#include "manychain/model.hpp"

/// x = scale exp(u), whose log Jacobian, u + log(scale), is short of `missing` u, and whose derivative is off by
/// `wrong`.
struct Scaled {
  double scale, missing, wrong;
};
template <manychain::Real R>
MANYCHAIN_HD R constrain(const Scaled& c, R u) {
  return c.scale * exp(u);
}
template <manychain::Real R>
MANYCHAIN_HD R log_jacobian(const Scaled& c, R u) {
  return (1 - c.missing) * u + log(R(c.scale));
}
template <manychain::Real R>
R unconstrain(const Scaled& c, R x) {
  return log(x / c.scale);
}
template <manychain::Real R>
MANYCHAIN_HD R reverse(const Scaled& c, R u, R adjoint) {
  return fma(adjoint, c.scale * exp(u), R(1 - c.missing + c.wrong));
}

/// x^2, whose derivative is 2 x and `wrong` more.
template <manychain::Node X>
MANYCHAIN_HD auto mistaken_square(const X& expression, double wrong) {
  const auto x = manychain::as_node(expression);
  return manychain::elementary(x.value() * x.value(), manychain::partial(x, 2.0 * x.value() + wrong));
}

/// mu, tau > 0, an ordered pair cut; rows y[j] of weight[j], each with an error slope[j] of its derivative and a factor
/// log(positive[j]). Without mistakes slope is 0, statement, reverse and jacobian are 0, and positive is 1. `unused`
/// elements of `extra` and of `spread` > 0, of which a term has extra[1] alone, counted from 0, where there is one; a
/// mu that may be negative as a gamma variate where `outside` is 1.
template <class Number>
struct Mistaken {
  using samplers = manychain::SamplerList<manychain::Mala<>>;
  manychain::Size<> N, jacobian, reverse, statement, unused, outside;
  manychain::View<const Number> y, slope, positive;

  void data(manychain::DataReader& in) {
    in("N", N);
    in("jacobian", jacobian);
    in("reverse", reverse);
    in("statement", statement);
    in("unused", unused);
    in("outside", outside);
    in("y", y, N);
    in("slope", slope, N);
    in("positive", positive, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto tau = target.real("tau", Scaled{3.0, static_cast<double>(jacobian.value()), 0.1 * reverse.value()});
    auto cut = target.vector("cut", manychain::Size<2>{}, manychain::Ordered{});
    target += normal(mu, 0, 2);
    target += -0.5 * mistaken_square(log(tau), 0.01 * statement.value());
    target += normal(cut, 0, 1);
    target.observe("y", N, [&](int j, auto& term) {
      term += normal(y[j], mu + cut[0], tau);
      term += log(positive[j]) * mu - 0.1 * mistaken_square(mu, static_cast<double>(slope[j].v));
    });
    auto extra = target.vector("extra", unused);
    target.vector("spread", unused, manychain::lower(0));
    if (unused.value() > 1) target += normal(extra[1], 0, 1);
    if (outside.value() == 1) target += gamma(mu, 2, 2);
  }
};
