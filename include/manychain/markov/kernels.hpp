// The transition matrices of samplers on finite spaces: invariance shown by arithmetic, without a random number.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "manychain/markov/transition_matrix.hpp"

namespace manychain::markov {

/// The probability of acceptance, given the log of pi_j Q_ji / (pi_i Q_ij). Called with -infinity where j has density
/// zero or Q_ji is zero, with +infinity where i has density zero, with NaN where both hold.
using AcceptRule = std::function<double(double log_ratio)>;

/// min(1, exp(log_ratio)); a ratio that is not a number rejects (Metropolis et al. 1953, Hastings 1970).
double metropolis_rule(double log_ratio);
/// 1 / (1 + exp(-log_ratio)) (Barker 1965); a ratio that is not a number rejects.
double barker_rule(double log_ratio);

/// From i a state j is proposed with probability Q_ij and accepted by `rule`, else the chain stays:
/// P_ij = Q_ij a_ij for j != i, and P_ii = Q_ii + sum_j Q_ij (1 - a_ij), a sum without cancellation.
/// `target`: S weights, not all zero, which need not be normalised. Throws BadInput if it has another length, a weight
/// is not finite or negative, all are zero, or the rule returns something outside [0, 1].
TransitionMatrix metropolis_hastings_matrix(const std::vector<double>& target, const TransitionMatrix& proposal,
                                            const AcceptRule& rule = metropolis_rule);
/// The kernel from logs of the weights, -infinity for zero.
TransitionMatrix metropolis_hastings_matrix_of_log(const std::vector<double>& log_target,
                                                   const TransitionMatrix& proposal,
                                                   const AcceptRule& rule = metropolis_rule);

enum class Scan {
  systematic,  ///< coordinates 0, 1, .. in this order: the product of their kernels; in general not reversible
  random       ///< one coordinate, each with the same probability: their mean; reversible
};

/// One coordinate is drawn from its full conditional distribution. `target`: weights of the points of a product space
/// of `shape` (n_1, .., n_D), row-major. Where all points that differ in this coordinate alone have weight zero, there
/// is no conditional distribution and the kernel stays. Throws BadInput if `target` does not fill `shape`, for weights
/// as above, or if there is no such coordinate.
TransitionMatrix gibbs_kernel(const std::vector<double>& target, const std::vector<std::size_t>& shape,
                              std::size_t coordinate);

/// All coordinates: the Gibbs sampler (Geman and Geman 1984).
TransitionMatrix gibbs_matrix(const std::vector<double>& target, const std::vector<std::size_t>& shape,
                              Scan scan = Scan::systematic);

}  // namespace manychain::markov
