// Importance sampling: draws of a proposal, weighted by target density / proposal density.
// Owen, Monte Carlo theory, methods and examples (2013), chapter 9; Vehtari, Simpson, Gelman, Yao and Gabry (2024),
// "Pareto smoothed importance sampling", JMLR 25(72).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace manychain::montecarlo {

/// Generalised Pareto distribution of excesses x > 0: P(X > x) = (1 + k x / sigma)^(-1/k). NaN where it was not fitted.
struct GeneralisedPareto {
  double k = 0, sigma = 0;
};

/// The estimate of Zhang and Stephens (Technometrics 51, 2009) from positive excesses in ascending order: the mean of
/// the profile likelihood over their grid of 30 + sqrt(N) points. `prior`: k is drawn toward 1/2 as by ten excesses
/// (Vehtari et al. 2024; so do the R package loo and ArviZ). NaN for fewer than 6 excesses, where the first
/// quartile equals the smallest, or where one is not finite. Throws BadInput if they are not ascending.
GeneralisedPareto fit_generalised_pareto(std::span<const double> excesses, bool prior = true);

/// The weights and their diagnostics, from S log weights.
struct Importance {
  std::vector<double> weights;           ///< self-normalised: the sum is one
  std::vector<double> smoothed_weights;  ///< Pareto smoothed, the sum is one; `weights` where k is NaN
  double ess = 0;                        ///< effective sample size 1 / sum w^2 (Kong 1992; Owen, section 9.3)
  std::size_t tail = 0;                  ///< weights that k was fitted to
  double pareto_k = 0;  ///< shape of the weights' upper tail; NaN where it cannot be known, which is never trustworthy
  double k_threshold = 0;               ///< min(1 - 1 / log10 S, 0.7): as large as k may be with S draws
  double log_normalising_constant = 0;  ///< log of the mean weight
  double log_normalising_error = 0;     ///< its standard error, sd(w) / (mean(w) sqrt(S)) (delta method)
  bool trustworthy = false;             ///< k_threshold is not exceeded
  std::string verdict;                  ///< the same in words, one sentence
};

/// Weights exp(log_weights) of S independent draws of the proposal; -infinity is a weight of zero. The tail is the
/// ceil(min(S / 5, 3 sqrt(S))) largest weights above zero. Smoothed weights are the quantiles of the
/// fitted tail at (z - 1/2) / M, none above the largest raw weight (Vehtari et al. 2024). Throws BadInput
/// if there is no weight, all are zero, or one is NaN or infinite (by its index).
Importance importance(std::span<const double> log_weights);

/// An expectation under the target.
struct ImportanceExpectation {
  double plain = 0, plain_error = 0;  ///< mean of w f; right if target and proposal density are both normalised
  double self_normalised = 0, self_normalised_error = 0;  ///< sum of w f / sum of w; the constants cancel
  double smoothed = 0, smoothed_error = 0;                ///< self-normalised, by Importance::smoothed_weights
  double pareto_k = 0;
  bool trustworthy = false;  ///< Importance::trustworthy; else the errors are too small
};

/// The expectation of f, given as values f(x) at the same S draws. The errors are sd(w f) / sqrt(S) (Owen, section 9.1)
/// and, by the delta method, the root of sum w^2 (f - mu)^2 with self-normalised w (Owen, section 9.2); NaN for one
/// draw. Throws BadInput as importance() does, if the lengths differ, or if a value is not finite where the weight is
/// not zero.
ImportanceExpectation importance_expectation(std::span<const double> log_weights, std::span<const double> values);

}  // namespace manychain::montecarlo
