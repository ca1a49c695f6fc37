// A bioassay (Racine and others 1986): of n_k animals that got the log dose x_k, y_k died.
#pragma once

#include "manychain/model.hpp"

template <class Number, int Doses = manychain::dynamic>
struct Bioassay {
  static constexpr int dimension = 2;
  manychain::Size<Doses> K;
  manychain::View<const Number, Doses> x, n, y;

  void data(manychain::DataReader& in) {
    in("K", K, manychain::lower(1));
    in("x", x, K);
    in("n", n, K, manychain::integer(1));
    in("y", y, K, manychain::integer(0));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto alpha = target.real("alpha");
    auto beta = target.real("beta", manychain::lower(0));
    target += normal(alpha, 0, 2);
    target += normal(beta, 10, 10);
    target.observe("y", K, [&](auto k, auto& term) { term += binomial_logit(y[k], n[k], alpha + beta * x[k]); });
    target.derived("LD50", -alpha / beta);  // the log dose that kills every other animal
  }
};
