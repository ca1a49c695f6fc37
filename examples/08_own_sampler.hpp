// Failures of pumps (Gaver and O'Muircheartaigh 1987): y_k failures in t_k thousand hours are Poisson with mean
// rate_k t_k, rate_k ~ Gamma(1.8, 0.9). The posterior of rate_k is Gamma(1.8 + y_k, 0.9 + t_k).
#pragma once

#include "08_barker.hpp"
#include "manychain/model.hpp"

template <class Number, int Pumps = manychain::dynamic>
struct PumpFailures {
  using samplers = manychain::SamplerList<Barker<>>;  // and as many others as are wanted
  static constexpr int dimension = Pumps;
  manychain::Size<Pumps> K;
  manychain::View<const Number, Pumps> y, t;

  void data(manychain::DataReader& in) {
    in("K", K, manychain::lower(1));
    in("y", y, K, manychain::integer(0));
    in("t", t, K, manychain::lower(0));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto rate = target.vector("rate", K, manychain::lower(0));
    target += gamma(rate, 1.8, 0.9);
    target.observe("y", K, [&](auto k, auto& term) { term += poisson_log(y[k], log(t[k] * rate[k])); });
  }
};
