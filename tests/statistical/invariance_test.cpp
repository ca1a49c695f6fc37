// Every sampler leaves every target invariant, in both precisions.
//
// False-alarm rate: z_test.hpp. Power: wrong_samplers_test.cpp runs the same function with the same number of chains on
// samplers that are wrong.
#include <gtest/gtest.h>

#include "statistical/constrained_targets.hpp"
#include "statistical/exact_targets.hpp"
#include "statistical/wrong_samplers.hpp"

namespace {

using namespace statistical;

class InvarianceOf : public testing::TestWithParam<const char*> {};

ExactTarget target_named(const std::string& name) {
  if (name == "normal") return normal_target();
  if (name == "correlated_normal") return correlated_target();
  if (name == "banana") return banana_target();
  if (name == "rosenbrock") return rosenbrock_target();
  return funnel_target();
}

TEST_P(InvarianceOf, metropolis) {
  expect_invariant(target_named(GetParam()), {.sampler = "metropolis", .chains = chains});
}
TEST_P(InvarianceOf, hmc) { expect_invariant(target_named(GetParam()), {.sampler = "hmc", .chains = chains}); }
TEST_P(InvarianceOf, hmc_in_two_stages) {
  expect_invariant(target_named(GetParam()),
                   {.sampler = "hmc", .chains = chains, .integrator = manychain::Integrator::two_stage, .longer = 1.6});
}
TEST_P(InvarianceOf, hmc_with_directions) {
  expect_invariant(target_named(GetParam()), {.sampler = "hmc", .chains = chains, .directions = true});
}
TEST_P(InvarianceOf, hmc_in_two_stages_with_directions) {
  expect_invariant(target_named(GetParam()), {.sampler = "hmc",
                                              .chains = chains,
                                              .integrator = manychain::Integrator::two_stage,
                                              .longer = 1.6,
                                              .directions = true});
}

INSTANTIATE_TEST_SUITE_P(Target, InvarianceOf,
                         testing::Values("normal", "correlated_normal", "banana", "rosenbrock", "funnel"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(Invariance, scalar_lanes) {
  for (const char* sampler : {"metropolis", "hmc"})
    expect_invariant(normal_target(), {.sampler = sampler, .chains = chains / 4, .scalar = true});
}

TEST(Invariance, constrained_scalars) {
  expect_invariant(bounded_target<manychain::Metropolis<>>(), {.sampler = "metropolis", .chains = chains});
  expect_invariant(bounded_target<manychain::Hmc<>>(), {.sampler = "hmc", .chains = chains});
}
TEST(Invariance, simplex_and_ordered) {
  expect_invariant(vector_target<manychain::Metropolis<>>(), {.sampler = "metropolis", .chains = chains});
  expect_invariant(vector_target<manychain::Hmc<>>(), {.sampler = "hmc", .chains = chains});
}

}  // namespace
