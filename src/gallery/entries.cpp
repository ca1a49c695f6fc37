// The table of entries. cmake/gallery.cmake has the names once more, for CTest; a test compares the two.
#include "gallery/entries.hpp"

namespace manychain::gallery {

const std::vector<Entry>& entries() {
  static const std::vector<Entry> table = {
      {"integral", chapters[0], "An integral as a mean of uniform draws", integral},
      {"expectation", chapters[0], "Moments of the normal distribution from direct draws", expectation},
      {"dimension_law", chapters[0], "The variance of a mean is var(f) / L in any dimension", dimension_law},
      {"discrete_draws", chapters[0], "A loaded die, by the inverse of its distribution function", discrete_draws},
      {"outcomes", chapters[0], "Three outcomes, drawn by thousands of chains", outcomes},
      {"inverse_transform", chapters[0], "Exponential and Cauchy variates from uniforms", inverse_transform},
      {"irwin_hall", chapters[0], "Normal variates as means of uniforms", irwin_hall},
      {"importance_weights", chapters[0], "Importance sampling, and when its weights fail", importance_weights},
      {"rejection_rate", chapters[0], "Rejection sampling accepts one in M", rejection_rate},
      {"rejection_dimension", chapters[0], "Rejection and a Markov chain in 1 to 20 dimensions", rejection_dimension},
      {"weighted_draws", chapters[0], "A normal density by weighted draws of another", weighted_draws},
      {"envelope", chapters[0], "Two hills under a wide normal envelope", envelope},
      {"two_state_chain", chapters[1], "A chain of two states settles at 5 : 6", two_state_chain},
      {"two_state_walk", chapters[1], "A walk on two states visits them 5 : 6", two_state_walk},
      {"two_state_metropolis", chapters[1], "Metropolis' rule on two states", two_state_metropolis},
      {"birth_death", chapters[1], "Birth and death: recurrent or not", birth_death},
      {"chain_structure", chapters[1], "Periodic, reducible, irreversible", chain_structure},
      {"changing_chain", chapters[1], "A transition matrix that changes with time", changing_chain},
      {"language_model", chapters[1], "New text from the words of a text", language_model},
      {"ergodic", chapters[1], "The average over time is the average over chains", ergodic},
      {"proposal_step", chapters[2], "Metropolis: steps too small, too large, and right", proposal_step},
      {"two_states_sampled", chapters[2], "Metropolis-Hastings on two states, counted", two_states_sampled},
      {"gamma_independence", chapters[2], "Gamma(2, 1) by proposals that do not look at the state", gamma_independence},
      {"gibbs_starts", chapters[2], "Gibbs from four overdispersed starts", gibbs_starts},
      {"gibbs_three", chapters[2], "Gibbs in three dimensions from (0, 0, 0)", gibbs_three},
      {"running_mean", chapters[2], "The path of a Gibbs sampler, and its mean as it settles", running_mean},
      {"parallel_gibbs", chapters[2], "Gibbs one after another and all at once", parallel_gibbs},
      {"uncorrected_gibbs", chapters[2], "Gibbs all at once without the correction, and what it samples",
       uncorrected_gibbs},
      {"single_component", chapters[2], "Metropolis one component at a time", single_component},
      {"langevin", chapters[2], "MALA beside a random walk in 50 dimensions", langevin},
      {"score_alone", chapters[2], "Sampling from a score: the unadjusted Langevin algorithm", score_alone},
      {"hmc_leapfrog", chapters[2], "HMC's leapfrog: second order, reversible, keeps volume", hmc_leapfrog},
      {"posterior_predictive", chapters[2], "New data predicted from a posterior", posterior_predictive},
      {"sgld_regression", chapters[2], "SGLD: the gradient of a minibatch", sgld_regression},
      {"ising", chapters[2], "The Ising model on both sides of its critical temperature", ising},
      {"gaussian_mixture", chapters[2], "A mixture of normal distributions, labels and all", gaussian_mixture},
  };
  return table;
}

}  // namespace manychain::gallery
