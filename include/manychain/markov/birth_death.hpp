// A countable chain: birth and death on 0, 1, 2, ...
#pragma once

#include <cstddef>

#include "manychain/markov/transition_matrix.hpp"

namespace manychain::markov {

/// The long-run behaviour of an irreducible chain on countably many states (Norris, Markov Chains (1997), sections 1.5
/// and 1.7).
enum class Recurrence {
  positive_recurrent,  ///< returns for certain, after a finite time in the mean: there is a stationary distribution
  null_recurrent,      ///< returns for certain, after an infinite time in the mean
  transient            ///< may never return
};

/// From k the chain goes down to k - 1 with probability p, up to k + 1 with probability q, and stays with probability
/// 1 - p - q; at 0, where there is no way down, it stays with probability 1 - q. Positive recurrent for p > q, null
/// recurrent for p = q, transient for p < q (Levin, Peres and Wilmer (2017), section 21.1 and exercise 21.2).
class BirthDeath {
 public:
  /// Throws BadInput unless p and q are positive and p + q <= 1.
  BirthDeath(double p, double q);
  /// Goes up with probability q = 1 - p.
  explicit BirthDeath(double p) : BirthDeath(p, 1 - p) {}

  double p() const { return p_; }
  double q() const { return q_; }

  Recurrence recurrence() const;
  bool has_stationary_distribution() const { return recurrence() == Recurrence::positive_recurrent; }

  /// pi_k = (1 - q/p) (q/p)^k, from pi_k q = pi_(k+1) p across each edge. Throws BadInput unless p > q.
  double stationary(std::size_t k) const;
  /// Mean of the stationary distribution, q / (p - q). Throws BadInput unless p > q.
  double stationary_mean() const;

  /// Probability that the chain, started at k, is ever at 0: one, or (p/q)^k if that is less.
  double hitting_probability(std::size_t k) const;
  /// Expected number of steps from k until it is at 0: k / (p - q), infinite for p <= q unless k = 0.
  double expected_hitting_time(std::size_t k) const;

  /// The chain on 0 .. n - 1 that stays where the whole one would leave these states. Its stationary distribution is
  /// proportional to (q/p)^k for all p and q. Throws BadInput for n = 0.
  TransitionMatrix truncate(std::size_t n) const;

 private:
  double p_, q_;
};

}  // namespace manychain::markov
