// Likelihoods by recurrence with predictions of whole series, as docs/models.md shows them.
#pragma once

#include "manychain/model.hpp"

/// A series of an ARMA(1, 1): y_t = mean_t + e_t with e_t ~ normal(0, sigma), mean_0 = mu and
/// mean_t = mu + phi y_{t-1} + theta e_{t-1}. A distribution of `size` numbers, for target.predict().
template <class R>
struct ArmaSeries {
  manychain::Size<> size;
  R mu, phi, theta, sigma;

  template <class S, class Out>
  MANYCHAIN_HD void draw(manychain::Variates<S>& variates, Out& y) const {
    S mean = mu;
    for (int t = 0; t < size.value(); ++t) {
      const S error = sigma * variates.normal();
      y[t] = mean + error;
      mean = mu + phi * y[t] + theta * error;
    }
  }
};

template <class Number>
struct Arma {
  manychain::Size<> T;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) {
    in("T", T, manychain::lower(1));
    in("y", y, T);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto phi = target.real("phi", manychain::interval(-1, 1));
    auto theta = target.real("theta", manychain::interval(-1, 1));
    auto sigma = target.real("sigma", manychain::lower(0));
    target += normal(mu, 0, 1) + normal(phi, 0, 0.5) + normal(theta, 0, 0.5) + lognormal(sigma, 0, 0.5);
    target.observe(
        "y", T, mu, [&](int t, const auto& mean) { return mu + phi * y[t - 1] + theta * (y[t - 1] - mean); },
        [&](int t, const auto& mean, auto& term) { term += normal(y[t], mean, sigma); });
    using R = decltype(value(mu));
    target.predict("y_rep", ArmaSeries<R>{T, value(mu), value(phi), value(theta), value(sigma)});
  }
};

/// A series that is normal(low, 1) or normal(high, 1), by a hidden state that is kept from step to step with a
/// probability of its own; both states are as likely at first.
template <class R>
struct HiddenMarkovSeries {
  manychain::Size<> size;
  R low, high, stay_low, stay_high;

  template <class S, class Out>
  MANYCHAIN_HD void draw(manychain::Variates<S>& variates, Out& y) const {
    S is_low = select(variates.uniform() < S(0.5), S(1), S(0));  // another one in each chain: no `if`
    for (int t = 0; t < size.value(); ++t) {
      y[t] = select(is_low > S(0.5), low, high) + variates.normal();
      const S to_low = select(is_low > S(0.5), stay_low, S(1) - stay_high);
      is_low = select(variates.uniform() < to_low, S(1), S(0));
    }
  }
};

template <class Number>
struct HiddenMarkov {
  manychain::Size<> T;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) {
    in("T", T, manychain::lower(1));
    in("y", y, T);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.ordered("mu", manychain::Size<2>{});
    auto stay = target.vector("stay", manychain::Size<2>{}, manychain::interval(0, 1));
    target += normal(mu, 0, 2) + beta(stay, 4, 2);
    const auto to_low = [&](const auto& low, const auto& high) {
      return log_sum_exp(low + log(stay[0]), high + log1m(stay[1]));
    };
    const auto to_high = [&](const auto& low, const auto& high) {
      return log_sum_exp(low + log1m(stay[0]), high + log(stay[1]));
    };
    auto forward = target.scan(
        T, manychain::states(normal(y[0], mu[0], 1) - manychain::log_two, normal(y[0], mu[1], 1) - manychain::log_two),
        [&](int t, const auto& low, const auto& high) {
          return manychain::states(to_low(low, high) + normal(y[t], mu[0], 1),
                                   to_high(low, high) + normal(y[t], mu[1], 1));
        });
    const auto last = forward[T.value() - 1];
    target.observe("y", log_sum_exp(last[0], last[1]));  // one term: of all rows together
    using R = decltype(value(mu[0]));
    target.predict("y_rep", HiddenMarkovSeries<R>{T, value(mu[0]), value(mu[1]), value(stay[0]), value(stay[1])});
  }
};
