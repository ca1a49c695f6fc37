// bball_drive_event_0-hmm_drive_0: a hidden Markov model of two states, a drive to the hoop or none, from a player's
// speed and distance (Ali 2019, Tagging basketball events with HMM in Stan).
#pragma once

#include "manychain/model.hpp"

/// Rows of the transition matrix: theta1 ~ Dirichlet(alpha[0]), theta2 ~ Dirichlet(alpha[1]). In state k: u, 1 / speed,
/// is exponential with rate phi[k], v, the distance from the hoop, with rate lambda[k]. Rates increase with k; the
/// first ones are N(0, 1), the second N(3, 1). Both states count alike at the beginning.
template <class Number>
struct HmmDrive0 {
  static constexpr int dimension = 6;
  manychain::Size<> N;
  manychain::View<const Number> u, v;
  manychain::Matrix<const Number, 2> alpha;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("u", u, N, manychain::lower(0));
    in("v", v, N, manychain::lower(0));
    in("alpha", alpha, manychain::Size<2>{}, manychain::Size<2>{}, manychain::lower(0));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto theta1 = target.simplex("theta1", manychain::Size<2>{});
    auto theta2 = target.simplex("theta2", manychain::Size<2>{});
    auto phi = target.vector("phi", manychain::Size<2>{}, manychain::positive_ordered());
    auto lambda = target.vector("lambda", manychain::Size<2>{}, manychain::positive_ordered());
    target += dirichlet(theta1, alpha[0]) + dirichlet(theta2, alpha[1]);
    target += normal(phi[0], 0, 1) + normal(phi[1], 3, 1) + normal(lambda[0], 0, 1) + normal(lambda[1], 3, 1);

    auto stay1 = let(log(theta1[0])), leave1 = let(log(theta1[1]));
    auto leave2 = let(log(theta2[0])), stay2 = let(log(theta2[1]));
    const auto emission = [&](int t, int k) { return exponential(u[t], phi[k]) + exponential(v[t], lambda[k]); };
    // a, b: log p(u_1, v_1, ..., u_t, v_t, state t)
    auto forward = target.scan(N, states(emission(0, 0), emission(0, 1)), [&](int t, const auto& a, const auto& b) {
      return states(log_sum_exp(a + stay1, b + leave2) + emission(t, 0),
                    log_sum_exp(a + leave1, b + stay2) + emission(t, 1));
    });
    const auto last = forward[N.value() - 1];
    target += log_sum_exp(last[0], last[1]);
  }
};
