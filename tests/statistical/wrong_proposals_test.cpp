// The power of metropolis_hastings_test.cpp, gibbs_test.cpp and langevin_test.cpp: samplers that are wrong must be
// caught by the same function, with the same number of chains, at the same threshold.
#include <gtest/gtest.h>

#include "manychain/models/normal.hpp"
#include "statistical/wrong_proposals.hpp"
#include "statistical/wrong_samplers.hpp"

namespace {

using namespace statistical;
using namespace manychain;

void expect_caught(const ExactTarget& target, const char* sampler) {
  Experiment experiment{.sampler = sampler, .chains = chains};
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    experiment.precision = precision;
    const Invariance found = test_invariance(target, experiment);
    EXPECT_GT(found.largest(), threshold + power_margin);
    EXPECT_GT(found.acceptance_rate, 0.2);
    std::printf("%s %s: largest |z| %.2f (shift %.4f), acceptance %.3f\n", target.name.c_str(), sampler,
                found.largest(), found.largest() / std::sqrt(double(chains)), found.acceptance_rate);
  }
}

template <class Number>
using Normal10 = models::Normal<Number, 10>;

TEST(WrongProposals, mala_without_its_correction) {
  Data data;
  data.set("D", 10);
  ExactTarget target = normal_target();
  target.model = model_under_test<Normal10, MalaWithoutCorrection>(data);
  target.proposal_scale = 0.8;  // at which langevin_test.cpp tests the right one
  expect_caught(target, "mala");
}
TEST(WrongProposals, mala_accepts_with_a_sharpened_ratio) {
  Data data;
  data.set("D", 10);
  ExactTarget target = normal_target();
  target.model = model_under_test<Normal10, Mala<SharpenedRule>>(data);
  target.proposal_scale = 1.3;
  expect_caught(target, "mala");
}
TEST(WrongProposals, metropolis_hastings_accepts_with_a_sharpened_ratio) {
  expect_caught(drifting_target<MetropolisHastings<FromProposal, SharpenedRule>>(), "metropolis_hastings");
}
TEST(WrongProposals, single_component_accepts_with_a_sharpened_ratio) {
  expect_caught(bivariate_target<BivariateNormal, SingleComponent<SharpenedRule>>(), "single_component");
}
TEST(WrongProposals, metropolis_hastings_without_the_way_back) {
  expect_caught(gamma_target<GammaTarget, WithoutProposalRatio<FromProposal, false>>(), "metropolis_hastings");
  expect_caught(seven_target<SevenStates, WithoutProposalRatio<FromProposal, false>>(), "metropolis_hastings");
}
TEST(WrongProposals, independence_without_the_way_back) {
  expect_caught(gamma_target<GammaIndependent, WithoutProposalRatio<FromIndependentProposal, false>>(), "independence");
}
TEST(WrongProposals, parallel_gibbs_without_its_correction) {
  expect_caught(bivariate_target<BivariateNormal, WithoutProposalRatio<FromConditionals, true>>(), "parallel_gibbs");
  expect_caught(spins_target<Spins, WithoutProposalRatio<FromConditionals, true>>(), "parallel_gibbs");
}
TEST(WrongProposals, gibbs_with_a_wrong_variance) {
  expect_caught(bivariate_target<WideConditionals, Gibbs<>>(), "gibbs");
  expect_caught(bivariate_target<WideConditionals, Gibbs<RandomScan>>(), "random_scan_gibbs");
}
TEST(WrongProposals, gibbs_with_a_term_left_out) { expect_caught(spins_target<SpinsWithoutField, Gibbs<>>(), "gibbs"); }
TEST(WrongProposals, single_component_by_a_wrong_conditional) {
  expect_caught(bivariate_target<WideConditionals, SingleComponent<>>(), "single_component");
}
TEST(WrongProposals, mixture_whose_choice_depends_on_the_state) {
  expect_caught(bivariate_target<BivariateNormal, ChoiceByState<Gibbs<>, Metropolis<>>>(), "mixture");
}

}  // namespace
