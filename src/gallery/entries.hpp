// The entries, a function each; entries.cpp lists them with their names.
#pragma once

#include "gallery/gallery.hpp"

namespace manychain::gallery {

// entries/integrals.cpp
Report integral(const GalleryOptions& options);
Report expectation(const GalleryOptions& options);
// entries/dimension_law.cpp
Report dimension_law(const GalleryOptions& options);
// entries/discrete_draws.cpp
Report discrete_draws(const GalleryOptions& options);
// entries/inverse_cdf.cpp
Report outcomes(const GalleryOptions& options);
Report inverse_transform(const GalleryOptions& options);
// entries/irwin_hall.cpp
Report irwin_hall(const GalleryOptions& options);
// entries/reweighting.cpp
Report importance_weights(const GalleryOptions& options);
Report rejection_rate(const GalleryOptions& options);
// entries/rejection_dimension.cpp
Report rejection_dimension(const GalleryOptions& options);
// entries/weighted_draws.cpp
Report weighted_draws(const GalleryOptions& options);
// entries/envelope.cpp
Report envelope(const GalleryOptions& options);
// entries/finite_chains.cpp
Report two_state_chain(const GalleryOptions& options);
Report two_state_metropolis(const GalleryOptions& options);
Report birth_death(const GalleryOptions& options);
Report chain_structure(const GalleryOptions& options);
// entries/two_state_walk.cpp
Report two_state_walk(const GalleryOptions& options);
// entries/changing_chain.cpp
Report changing_chain(const GalleryOptions& options);
// entries/language_model.cpp
Report language_model(const GalleryOptions& options);
// entries/ergodic.cpp
Report ergodic(const GalleryOptions& options);
// entries/proposal_step.cpp
Report proposal_step(const GalleryOptions& options);
// entries/metropolis_hastings.cpp
Report two_states_sampled(const GalleryOptions& options);
Report gamma_independence(const GalleryOptions& options);
// entries/gibbs.cpp
Report gibbs_starts(const GalleryOptions& options);
Report gibbs_three(const GalleryOptions& options);
Report parallel_gibbs(const GalleryOptions& options);
// entries/uncorrected_gibbs.cpp
Report uncorrected_gibbs(const GalleryOptions& options);
// entries/componentwise.cpp
Report running_mean(const GalleryOptions& options);
Report single_component(const GalleryOptions& options);
// entries/score_alone.cpp
Report score_alone(const GalleryOptions& options);
// entries/langevin.cpp
Report langevin(const GalleryOptions& options);
// entries/hmc_leapfrog.cpp
Report hmc_leapfrog(const GalleryOptions& options);
// entries/sgld_regression.cpp
Report sgld_regression(const GalleryOptions& options);
// entries/ising.cpp
Report ising(const GalleryOptions& options);
// entries/gaussian_mixture.cpp
Report gaussian_mixture(const GalleryOptions& options);

// entries/posterior_predictive.cpp
Report posterior_predictive(const GalleryOptions& options);

}  // namespace manychain::gallery
