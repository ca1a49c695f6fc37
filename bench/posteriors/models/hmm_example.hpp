// hmm_example-hmm_example: a hidden Markov model of two states, summed out by the forward algorithm.
#pragma once

#include "manychain/model/data_reader.hpp"
#include "manychain/model/target.hpp"

namespace manychain::posteriors {

/// theta1, theta2: probabilities of the next state, out of state 1 and out of state 2. y_t ~ N(mu[state], 1),
/// 0 < mu[1] < mu[2], mu[1] ~ N(3, 1), mu[2] ~ N(10, 1). Both states count alike at the beginning.
template <class Number>
struct HmmExample {
  static constexpr int dimension = 4;
  Size<> N;
  View<const Number> y;

  void data(DataReader& in) {
    in("N", N, lower(1));
    in("y", y, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto theta1 = target.simplex("theta1", Size<2>{});
    auto theta2 = target.simplex("theta2", Size<2>{});
    auto mu1 = target.real("mu[1]", lower(0));
    auto mu2 = target.real("mu[2]", lower(mu1));
    target += normal(mu1, 3, 1) + normal(mu2, 10, 1);

    // p1, p2: of the states, given y up to t. What changes them: stay = theta1[1], back = theta2[1], mu[1], mu[2], each
    // with its derivative of p1, which is minus that of p2.
    using R = decltype(value(mu1));
    const R stay = value(theta1[0]), leave = value(theta1[1]), back = value(theta2[0]), rest = value(theta2[1]);
    const R m1 = value(mu1), m2 = value(mu2);
    R p1 = R(0.5), p2 = R(0.5);
    R by_stay = R(0), by_back = R(0), by_mu1 = R(0), by_mu2 = R(0);
    target.sum_over(N, [&](int t, auto& term) {
      R q1 = R(1), q2 = R(1);  // before y_t is known
      if (t > 0) {
        const R drift = stay - back;
        q1 = p1 * stay + p2 * back;
        q2 = p1 * leave + p2 * rest;
        by_stay = by_stay * drift + p1;
        by_back = by_back * drift + p2;
        by_mu1 = by_mu1 * drift;
        by_mu2 = by_mu2 * drift;
      }
      const R r1 = y[t] - m1, r2 = y[t] - m2;
      const R log1 = -0.5 * (r1 * r1), log2 = -0.5 * (r2 * r2), largest = max(log1, log2);
      const R w1 = exp(log1 - largest), w2 = exp(log2 - largest);
      const R sum = q1 * w1 + q2 * w2, inverse = 1.0 / sum;
      p1 = q1 * w1 * inverse;
      p2 = q2 * w2 * inverse;
      // d log(sum), and from it d p1 = (d(q1 w1) - p1 d sum) / sum.
      const R contrast = (w1 - w2) * inverse, share = w1 * inverse;
      const R of_stay = by_stay * contrast, of_back = by_back * contrast;
      const R of_mu1 = by_mu1 * contrast + p1 * r1, of_mu2 = by_mu2 * contrast + p2 * r2;
      term += elementary(largest + log(sum) - half_log_two_pi, partial(as_node(theta1[0]), of_stay),
                         partial(as_node(theta2[0]), of_back), partial(as_node(mu1), of_mu1),
                         partial(as_node(mu2), of_mu2));
      by_stay = by_stay * share - p1 * of_stay;
      by_back = by_back * share - p1 * of_back;
      by_mu1 = by_mu1 * share + p1 * r1 - p1 * of_mu1;
      by_mu2 = by_mu2 * share - p1 * of_mu2;
    });
  }
};

}  // namespace manychain::posteriors
