// Times to an event, some of them censored: all that is known of those is that they are longer.
#pragma once

#include "manychain/model.hpp"

/// t_j ~ exponential(rate) where event_j = 1; where it is 0, T > t_j, with probability exp(-rate t_j).
template <class Number>
struct CensoredTimes {
  using samplers = manychain::SamplerList<manychain::Hmc<>>;
  static constexpr int dimension = 1;
  manychain::Size<> N;
  manychain::View<const Number> t;
  manychain::View<const int> event;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("t", t, N, manychain::lower(0));
    in("event", event, N, manychain::integer(0, 1));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto rate = target.real("rate", manychain::lower(0));
    target += gamma(rate, 1, 10);
    target.observe("t", N, [&](int j, auto& term) {  // int: one row at a time
      if (event[j] == 1)
        term += exponential(t[j], rate);
      else
        term += -rate * t[j];
    });
    target.derived("half_life", 0.69314718 / rate);
  }
};
