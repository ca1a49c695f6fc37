// The statistics of a run of rejection sampling.
// Owen, Monte Carlo theory, methods and examples (2013), section 4.7; von Neumann (1951).
#pragma once

#include <cstddef>

namespace manychain::montecarlo {

/// A draw x of the proposal q is accepted with probability f(x) / (M q(x)), where f <= M q everywhere.
struct RejectionRun {
  std::size_t proposed = 0;
  std::size_t accepted = 0;
  std::size_t above_bound = 0;  ///< proposals with f > M q: M is no bound, and what was accepted is not from f
};

struct Rejection {
  double acceptance_rate = 0;
  double standard_error = 0;  ///< binomial, at the rate (accepted + 1/2) / (proposed + 1), so that it is never zero
  double expected_rate = 0;   ///< Z / M; 1 / M for a normalised f
  double z_score = 0;         ///< of the rate against the expected one, in standard errors of the latter
  double normalising_constant = 0, normalising_error = 0;  ///< M times the rate: an estimate of Z, the integral of f
  bool bounded = false;                                    ///< no proposal was above the bound
};

/// `bound`: M. `integral`: Z if it is known, 1 for a normalised density; NaN where it is not, and then so are
/// expected_rate and z_score. Throws BadInput if nothing was proposed, more was accepted than proposed, M is not
/// positive and finite, or Z is not in (0, M]: no bound can be below the integral.
Rejection rejection(const RejectionRun& run, double bound, double integral = 1);

}  // namespace manychain::montecarlo
