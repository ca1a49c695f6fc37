// The power of the tests of invariance: samplers that are wrong must be caught by the same function, with the same
// number of chains, at the same threshold.
#include <gtest/gtest.h>

#include "manychain/models/normal.hpp"
#include "statistical/constrained_targets.hpp"
#include "statistical/exact_targets.hpp"
#include "statistical/wrong_samplers.hpp"

namespace {

using namespace statistical;
using manychain::Hmc;
using manychain::Metropolis;
using manychain::MetropolisRule;

template <class Number>
using Normal10 = manychain::models::Normal<Number, 10>;

template <class Sampler>
ExactTarget normal_with() {
  manychain::Data data;
  data.set("D", 10);
  ExactTarget target = normal_target();
  target.model = model_under_test<Normal10, Sampler>(data);
  return target;
}

constexpr double any_rate[] = {0.2, 0.99}, middling_rate[] = {0.4, 0.7};

void expect_caught(const ExactTarget& target, const char* sampler, const double (&rate)[2],
                   double direction_length = 0) {
  Experiment experiment{.sampler = sampler, .chains = chains};
  experiment.directions = direction_length > 0;
  experiment.direction_length = direction_length;
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    experiment.precision = precision;
    const Invariance found = test_invariance(target, experiment);
    EXPECT_GT(found.largest(), threshold + power_margin);
    EXPECT_GT(found.acceptance_rate, rate[0]);
    EXPECT_LT(found.acceptance_rate, rate[1]);
    std::printf("%s %s: largest |z| %.2f (shift %.4f), acceptance %.3f\n", target.name.c_str(),
                experiment.sampler.c_str(), found.largest(), found.largest() / std::sqrt(double(chains)),
                found.acceptance_rate);
  }
}

TEST(WrongSamplers, metropolis_accepts_with_a_sharpened_ratio) {
  expect_caught(normal_with<Metropolis<SharpenedRule>>(), "metropolis", middling_rate);
}
TEST(WrongSamplers, hmc_accepts_with_a_sharpened_ratio) {
  ExactTarget target = normal_with<Hmc<SharpenedRule>>();
  target.step_size = 1.3;
  expect_caught(target, "hmc", middling_rate);
}
TEST(WrongSamplers, hmc_leaves_out_a_half_kick) {
  expect_caught(normal_with<Hmc<MetropolisRule, LeapfrogWithoutLastHalfKick>>(), "hmc", any_rate);
}
TEST(WrongSamplers, hmc_in_two_stages_that_mirror_nothing) {
  ExactTarget target = normal_with<Hmc<MetropolisRule, LopsidedTwoStage>>();
  target.step_size = 0.9;
  expect_caught(target, "hmc", any_rate);
}
TEST(WrongSamplers, hmc_with_directions_that_are_not_of_length_one) {
  expect_caught(normal_target(), "hmc", any_rate, 1.2);
}
TEST(WrongSamplers, metropolis_on_a_missing_jacobian) {
  expect_caught(bounded_target<Metropolis<>, MissingJacobian, true>(), "metropolis", any_rate);
}
TEST(WrongSamplers, hmc_on_a_missing_jacobian) {
  expect_caught(bounded_target<Hmc<>, MissingJacobian, true>(), "hmc", any_rate);
}

// The right samplers at the very settings at which the wrong ones are caught.
TEST(WrongSamplers, right_ones_pass_at_the_same_settings) {
  for (const double step : {0.9, 1.3}) {
    ExactTarget target = normal_target();
    target.step_size = step;
    for (const char* sampler : {"metropolis", "hmc"})
      EXPECT_LT(test_invariance(target, {.sampler = sampler, .chains = chains}).largest(), threshold);
    Experiment other{.sampler = "hmc", .chains = chains};
    other.integrator = manychain::Integrator::two_stage;
    EXPECT_LT(test_invariance(target, other).largest(), threshold);
    other.directions = true;
    EXPECT_LT(test_invariance(target, other).largest(), threshold);
  }
}

}  // namespace
