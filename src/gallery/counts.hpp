// Counts whose distribution is known exactly: no normal approximation, not even far out.
#pragma once

#include <cstddef>
#include <vector>

#include "gallery/gallery.hpp"
#include "manychain/markov/transition_matrix.hpp"

namespace manychain::gallery {

/// P(N = k), k = 0 .. steps, N the number of the times 1 .. steps at which a chain of two states that starts in `start`
/// is in `state`. By recursion over time, O(steps^2).
std::vector<double> occupation_of_two(const markov::TransitionMatrix& p, std::size_t start, std::size_t state,
                                      std::size_t steps);

/// The check that a count lies within such a distribution: neither tail from it on is rarer than 2.5e-10. Beside the
/// count stand its expectation and standard deviation.
Check count_check(const std::string& what, const std::vector<double>& distribution, std::size_t count);

/// The interval for the share of `count` successes in `trials`, each of probability p.
Check binomial_check(const std::string& what, double p, std::size_t trials, std::size_t count);

}  // namespace manychain::gallery
