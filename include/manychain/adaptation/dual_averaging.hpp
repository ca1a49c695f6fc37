// The step size of warm-up, from the acceptance probabilities of all chains.
#pragma once

#include <cmath>
#include <cstdint>

#include "manychain/core/macros.hpp"

namespace manychain {

/// Acceptance probabilities below this count as this in the harmonic mean: one chain at zero must not decide for all.
inline constexpr double acceptance_floor = 0.01;

/// A chain that has not moved for this many transitions no longer counts when the step size is tuned (its acceptance is
/// taken as one): a floored zero counts a hundredfold in the harmonic mean, and one hopeless chain in a hundred would
/// shrink the step of all others without end.
inline constexpr int lost_after = 50;

/// Dual averaging of the logarithm of the step size (Nesterov 2009; Hoffman and Gelman 2014, section 3.2.1): gamma
/// 0.05, t0 10, kappa 0.75, shrunk towards ten times the first step. Plain data: it is updated where the chains are.
///
/// That searches over orders of magnitude, with the noise of one chain. To refine a step that is nearly right, with an
/// acceptance probability pooled over chains, gamma is 0.2 and it shrinks towards the step it has: after 30 updates
/// gamma 0.05 moves log(step) by 2.7 times the error, at which the step swings to and fro about the target, and what is
/// averaged is then too short a step.
struct DualAveraging {
  double target = 0.8;
  double anchor = 0;  ///< mu: log(10 eps0), to refine log(eps0)
  double gamma = 0.05;
  double mean_error = 0;  ///< H
  double log_step = 0;
  double log_step_average = 0;
  std::int64_t updates = 0;
  bool harmonic = false;  ///< pool acceptance probabilities by their harmonic mean

  static DualAveraging starting_at(double step_size, double target, bool harmonic) {
    DualAveraging a;
    a.target = target;
    a.log_step = a.log_step_average = std::log(step_size);
    a.anchor = std::log(10 * step_size);
    a.harmonic = harmonic;
    return a;
  }
  static DualAveraging refining(double step_size, double target, bool harmonic) {
    DualAveraging a = starting_at(step_size, target, harmonic);
    a.anchor = std::log(step_size);
    a.gamma = 0.2;
    return a;
  }

  MANYCHAIN_HD void update(double acceptance) {
    const double t = static_cast<double>(++updates);
    const double weight = 1 / (t + 10);
    mean_error = (1 - weight) * mean_error + weight * (target - acceptance);
    log_step = anchor - std::sqrt(t) / gamma * mean_error;
    const double eta = std::pow(t, -0.75);
    log_step_average = eta * log_step + (1 - eta) * log_step_average;
  }

  /// The term of one chain in the pooled mean, and the pooled mean from the mean of the terms.
  MANYCHAIN_HD static double term(double acceptance, bool harmonic_mean) {
    if (!harmonic_mean) return acceptance;
    return 1 / (acceptance > acceptance_floor ? acceptance : acceptance_floor);
  }
  MANYCHAIN_HD static double pooled(double mean_of_terms, bool harmonic_mean) {
    return harmonic_mean ? 1 / mean_of_terms : mean_of_terms;
  }
};

}  // namespace manychain
