// Long-run behaviour of a finite chain: stationary distributions, absorption, detailed balance.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/markov/structure.hpp"

namespace manychain::markov {

/// All stationary distributions, pi P = pi: they are the mixtures of those returned, one for each closed class, in the
/// order of the classes, zero outside its class. By the elimination of Grassmann, Taksar and Heyman (Operations
/// Research 33, 1985), which does not subtract: each entry has a small relative error, however ill-conditioned P is
/// (O'Cinneide, Numerische Mathematik 65, 1993). Throws BadInput where products of probabilities underflow. O(S^3).
std::vector<std::vector<double>> stationary_distributions(const TransitionMatrix& p);
std::vector<std::vector<double>> stationary_distributions(const TransitionMatrix& p, const Structure& structure);

/// Entry (i, c): the probability that the chain, started in state i, ends in the c-th closed class (Norris,
/// section 1.3). S rows, a column for each closed class; rows have the sum one. Without subtractions, as above.
Matrix absorption_probabilities(const TransitionMatrix& p);
Matrix absorption_probabilities(const TransitionMatrix& p, const Structure& structure);

/// max_j |(pi P)_j - pi_j|: zero but for rounding if pi is stationary.
double invariance_error(const TransitionMatrix& p, const std::vector<double>& pi);

/// Distance of a chain from detailed balance, pi_i P_ij = pi_j P_ji.
struct DetailedBalance {
  double worst = 0;              ///< the largest |pi_i P_ij - pi_j P_ji|
  std::size_t from = 0, to = 0;  ///< the pair where it is; from <= to
  double worst_relative = 0;     ///< the largest |a - b| / max(a, b) of the two flows of a pair
  bool reversible = true;        ///< worst_relative <= reversibility_tolerance
};

/// That of the rounding in a matrix that was typed with some ten digits.
inline constexpr double reversibility_tolerance = 1e-8;

/// With respect to `pi`, which need not be normalised. Throws BadInput unless it has S finite, non-negative entries.
DetailedBalance detailed_balance(const TransitionMatrix& p, const std::vector<double>& pi);
/// With respect to all stationary distributions: each closed class is compared under its own one.
DetailedBalance detailed_balance(const TransitionMatrix& p);

}  // namespace manychain::markov
