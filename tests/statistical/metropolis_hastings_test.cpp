// Metropolis-Hastings with the model's proposal, the independence sampler and single-component Metropolis leave their
// targets invariant. False alarms: z_test.hpp. Power: wrong_proposals_test.cpp.
#include <gtest/gtest.h>

#include "statistical/sampler_targets.hpp"
#include "statistical/wrong_samplers.hpp"

namespace {

using namespace statistical;
using manychain::Independence;
using manychain::MetropolisHastings;
using manychain::SingleComponent;

const Experiment proposed{.sampler = "metropolis_hastings", .chains = chains};
const Experiment independent{.sampler = "independence", .chains = chains};
const Experiment by_components{.sampler = "single_component", .chains = chains};

TEST(MetropolisHastings, lognormal_walk) {
  expect_invariant(gamma_target<GammaTarget, MetropolisHastings<>>(), proposed);
}
TEST(MetropolisHastings, width_depends_on_the_state) {
  expect_invariant(bivariate_target<BivariateNormal, MetropolisHastings<>>(), proposed);
}
TEST(MetropolisHastings, drift_in_ten_dimensions) {
  expect_invariant(drifting_target<MetropolisHastings<>>(), proposed);
}
TEST(MetropolisHastings, skewed_finite_space) {
  expect_invariant(seven_target<SevenStates, MetropolisHastings<>>(), proposed);
}
TEST(MetropolisHastings, skewed_spins) { expect_invariant(spins_target<Spins, MetropolisHastings<>>(), proposed); }
TEST(MetropolisHastings, discrete_and_continuous) {
  expect_invariant(mixture_target<LabelledMixture, MetropolisHastings<>>(), proposed);
}

TEST(Independence, gamma) { expect_invariant(gamma_target<GammaIndependent, Independence>(), independent); }
TEST(Independence, bivariate_normal) {
  expect_invariant(bivariate_target<BivariateNormalIndependent, Independence>(), independent);
}
TEST(Independence, finite_space) { expect_invariant(seven_target<SevenIndependent, Independence>(), independent); }
TEST(Independence, spins) { expect_invariant(spins_target<SpinsIndependent, Independence>(), independent); }

// By the whole density.
TEST(SingleComponent, correlated_normal) { expect_invariant(correlated_target(), by_components); }
TEST(SingleComponent, banana) { expect_invariant(banana_target(), by_components); }
TEST(SingleComponent, gamma) { expect_invariant(gamma_target<GammaTarget, SingleComponent<>>(), by_components); }
// By ratios of full conditionals, also of a block.
TEST(SingleComponent, conditionals_of_normals) {
  expect_invariant(bivariate_target<BivariateNormal, SingleComponent<>>(), by_components);
}
TEST(SingleComponent, conditionals_of_a_precision) {
  expect_invariant(normal_gamma_target<NormalGamma, SingleComponent<>>(), by_components);
}
TEST(SingleComponent, conditional_of_a_block) {
  expect_invariant(normal_gamma_target<NormalGammaBlock, SingleComponent<>>(), by_components);
}

}  // namespace
