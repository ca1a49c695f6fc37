// Which integrator warm-up chooses where the settings leave it open.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/run/result.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

Settings small() {
  Settings s;
  s.chains = 64;
  s.warmup.transitions = 300;
  s.sampling.draws = 40;
  s.seed = 3;
  s.backend = Backend::cpu;
  return s;
}

Model normal(int dimension) {
  Data data;
  data.set("D", dimension);
  return builtin_model("normal", data);
}

/// Schools whose effects say little of their common scale: a funnel, in which no step fits all.
Model schools(std::size_t count) {
  std::vector<double> y, sigma(count, 12.0);
  for (std::size_t j = 0; j < count; ++j) y.push_back(4 + 11 * std::sin(7.0 * static_cast<double>(j)));
  Data data;
  data.set("J", count);
  data.set("y", y);
  data.set("sigma", sigma);
  return builtin_model("eight_schools", data);
}

Integrator chosen(const Model& model, const Settings& settings) {
  const Result result = sample(model, settings);
  EXPECT_EQ(result.warmup.transitions + result.kept, 340u);
  return result.warmup.tuning[0].integrator;
}

TEST(IntegratorChoice, IsTwoStagesWhereLongStepsAreAccepted) {
  EXPECT_EQ(chosen(normal(25), small()), Integrator::two_stage);
  EXPECT_EQ(chosen(normal(100), small()), Integrator::two_stage);
}
TEST(IntegratorChoice, IsTheLeapfrogWhereTheyAreNot) { EXPECT_EQ(chosen(schools(30), small()), Integrator::leapfrog); }
TEST(IntegratorChoice, IsTheLeapfrogInFewDimensions) { EXPECT_EQ(chosen(normal(15), small()), Integrator::leapfrog); }
TEST(IntegratorChoice, IsWhatTheSettingsSay) {
  Settings s = small();
  s.sampling.integrator = Integrator::leapfrog;
  EXPECT_EQ(chosen(normal(100), s), Integrator::leapfrog);
  s.sampling.integrator = Integrator::two_stage;
  EXPECT_EQ(chosen(normal(5), s), Integrator::two_stage);
}
TEST(IntegratorChoice, HasNoTrialInAShortWarmup) {
  Settings s = small();
  s.warmup.transitions = 100;
  EXPECT_EQ(sample(normal(100), s).warmup.tuning[0].integrator, Integrator::leapfrog);
}
TEST(IntegratorChoice, DoesNotDependOnThreads) {
  Settings s = small();
  s.threads = 1;
  const Result one = sample(normal(25), s);
  s.threads = 2;
  s.blocks_per_second = 1000;
  const Result two = sample(normal(25), s);
  EXPECT_EQ(one.draws.float32, two.draws.float32);
  EXPECT_EQ(one.gradients, two.gradients);
}
// A step of two stages takes two gradients.
TEST(IntegratorChoice, CountsGradientsOfTheChosen) {
  const Result result = sample(normal(100), small());
  std::size_t gradients = 0;
  for (const std::uint32_t of_draw : result.sampling.leapfrogs) {
    EXPECT_EQ(of_draw % 2, 0u);
    gradients += of_draw;
  }
  EXPECT_LT(gradients * 64, result.gradients);
}
// Results can be run again: what is left open stays open.
TEST(IntegratorChoice, LeavesTheSettingOpen) {
  const Result result = sample(normal(25), small());
  EXPECT_FALSE(result.settings.sampling.integrator.has_value());
  Settings metropolis = small();
  metropolis.sampler = "metropolis";
  EXPECT_NO_THROW(sample(normal(25), metropolis));
  metropolis.sampling.integrator = Integrator::two_stage;
  EXPECT_SAYS(refusal(normal(25), metropolis), "Settings::sampling.integrator");
}

}  // namespace
}  // namespace manychain
