// The rate of an enzymatic reaction by the concentration x of its substrate, after Michaelis and Menten.
#pragma once

#include "manychain/model.hpp"

template <class Number>
struct ReactionRates {
  static constexpr int dimension = 3;
  manychain::Size<> N;
  manychain::View<const Number> x, rate;

  void data(manychain::DataReader& in) {
    in("N", N);
    in("x", x, N, manychain::lower(0));
    in("rate", rate, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto largest = target.real("largest", manychain::lower(0));
    auto half_at = target.real("half_at", manychain::lower(0));
    auto sigma = target.real("sigma", manychain::lower(0));
    target += normal(largest, 0, 300);
    target += normal(half_at, 0, 1);
    target += normal(sigma, 0, 30);
    target.observe("rate", N,
                   [&](auto j, auto& term) { term += normal(rate[j], largest * x[j] / (half_at + x[j]), sigma); });
  }
};
