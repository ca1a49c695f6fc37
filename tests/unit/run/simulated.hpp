// A model whose data say which mistake it makes, and what such data are.
#pragma once

#include "manychain/model.hpp"

/// y of groups of two: y[i] ~ normal(theta[i mod 2], sigma), theta ~ normal(mu, 1), mu ~ normal(0, 2), sigma ~
/// lognormal(0, 0.5). `mistake`:
///   1 predictions have 1.5 sigma          2 the density lacks -log(sigma), the Jacobian of y / sigma
///   3 a statement has y                   4 sigma has no prior
///   5 mu has none                         6 the derivative of mu's prior is wrong
///   7 one prediction too many             8 observe() has another name
///   9 y must be positive                 10 y must be whole
///  11 predictions are made of y          12 theta has more elements where y is large
template <class Number>
struct Simulated {
  using samplers = manychain::SamplerList<manychain::Hmc<>>;
  manychain::Size<> N, mistake, groups;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) {
    in("N", N);
    in("mistake", mistake);
    manychain::DataBounds bounds;
    if (mistake.value() == 9) bounds.low = 0;
    bounds.integer = mistake.value() == 10;
    in("y", y, N, bounds);
    groups = manychain::Size<>(mistake.value() == 12 && y[0].v > Number(1) ? 3 : 2);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    const int wrong = mistake.value();
    auto mu = target.real("mu");
    auto sigma = target.real("sigma", manychain::lower(0));
    auto theta = target.vector("theta", groups);
    if (wrong == 6)
      target += manychain::elementary(-0.125 * value(mu) * value(mu), manychain::partial(mu, -0.5 * value(mu)));
    else if (wrong != 5)
      target += normal(mu, 0, 2);
    if (wrong != 4) target += lognormal(sigma, 0, 0.5);
    if (wrong == 3) target += normal(mu, y[0], 1);
    target += normal(theta, mu, 1);
    const Number jacobian = wrong == 2 ? 0 : 1;
    target.observe(wrong == 8 ? "total" : "y", N, [&](int i, auto& term) {
      term += -0.5 * square((y[i] - theta[i % 2]) / sigma) - jacobian * log(sigma);
    });
    const Number factor = wrong == 1 ? Number(1.5) : Number(1), of_data = wrong == 11 ? Number(0.5) : Number(0);
    target.predict("y_rep", wrong == 7 ? N.value() + 1 : N.value(), [&](int i) {
      return normal_distribution(theta[i % 2] + of_data * y[i % N.value()], factor * sigma);
    });
  }
};
