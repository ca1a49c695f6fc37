// hmm_example-hmm_example: a hidden Markov model of K states, which are summed out by the forward algorithm.
#pragma once

#include "manychain/model.hpp"

/// Rows of the transition matrix: theta1, theta2. y_t ~ N(mu[state], 1), 0 < mu[1] < mu[2], mu[1] ~ N(3, 1),
/// mu[2] ~ N(10, 1). Both states count alike at the beginning.
template <class Number>
struct HmmExample {
  static constexpr int dimension = 4;
  manychain::Size<> N;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("y", y, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto theta1 = target.simplex("theta1", manychain::Size<2>{});
    auto theta2 = target.simplex("theta2", manychain::Size<2>{});
    auto mu1 = target.real("mu[1]", manychain::lower(0));
    auto mu2 = target.real("mu[2]", manychain::lower(mu1));
    target += normal(mu1, 3, 1) + normal(mu2, 10, 1);

    auto stay1 = let(log(theta1[0])), leave1 = let(log(theta1[1]));
    auto leave2 = let(log(theta2[0])), stay2 = let(log(theta2[1]));
    // a, b: log p(y_1 ... y_t, state t)
    auto forward =
        target.scan(N, states(normal(y[0], mu1, 1), normal(y[0], mu2, 1)), [&](int t, const auto& a, const auto& b) {
          return states(log_sum_exp(a + stay1, b + leave2) + normal(y[t], mu1, 1),
                        log_sum_exp(a + leave1, b + stay2) + normal(y[t], mu2, 1));
        });
    const auto last = forward[N.value() - 1];
    target += log_sum_exp(last[0], last[1]);
  }
};
