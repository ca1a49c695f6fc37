// Superchains: chains start together, go their own ways, and a run is what it would be from the same points by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "manychain/run/engine.hpp"

namespace {

using namespace manychain;

struct Kind {
  const char* model;
  const char* sampler;
  Precision precision;
};

class Superchains : public testing::TestWithParam<Kind> {
 protected:
  Model model() const { return builtin_model(GetParam().model); }
  Settings settings() const {
    Settings s;
    s.backend = Backend::cpu;
    s.sampler = GetParam().sampler;
    s.precision = GetParam().precision;
    s.chains = 100;  // 16 superchains of six or seven
    s.superchains = 16;
    s.warmup.transitions = 60;
    s.sampling.draws = 12;
    s.seed = 5;
    s.threads = 2;
    return s;
  }
};

TEST_P(Superchains, start_together_and_separate) {
  const Settings s = settings();
  const auto engine = make_cpu_engine(model(), s);
  engine->initialise({}, 100);
  const ChainPoints start = engine->points(s.chains);
  const std::size_t d = model().layout().dimension;
  std::set<double> places;
  for (std::size_t c = 0; c < s.chains; ++c) {
    EXPECT_EQ(start.log_densities[c], start.log_densities[c % 16]);
    for (std::size_t i = 0; i < d; ++i) EXPECT_EQ(start.positions[c * d + i], start.positions[(c % 16) * d + i]);
    EXPECT_EQ(engine->position(c), std::vector<double>(start.positions.begin() + std::ptrdiff_t(c * d),
                                                       start.positions.begin() + std::ptrdiff_t((c + 1) * d)));
    places.insert(start.positions[c * d]);
  }
  EXPECT_EQ(places.size(), 16u);

  engine->set_tuning(0, {.step_size = 1e-3, .trajectory = 2, .leapfrog_limit = 50});
  Block block;
  block.count = 20;
  engine->advance(block, 0);
  places.clear();
  for (std::size_t c = 0; c < s.chains; ++c) places.insert(engine->position(c)[0]);
  EXPECT_EQ(places.size(), s.chains);
}

// The starting points of superchains, handed over by hand: the state that was copied is the one that would have been
// computed, gradient and all.
TEST_P(Superchains, are_runs_from_these_points) {
  Settings s = settings();
  const auto engine = make_cpu_engine(model(), s);
  engine->initialise({}, 100);
  const Result together = sample(model(), s);
  const std::size_t d = model().layout().dimension;
  s.warmup.initial_points.resize(d * s.chains);
  for (std::size_t c = 0; c < s.chains; ++c) {
    const std::vector<double> q = engine->position(c % 16);
    for (std::size_t i = 0; i < d; ++i) s.warmup.initial_points[i * s.chains + c] = q[i];
  }
  s.superchains = 0;
  const Result by_hand = sample(model(), s);
  EXPECT_EQ(together.warmup.tuning[0].step_size, by_hand.warmup.tuning[0].step_size);
  EXPECT_TRUE(together.draws.float32 == by_hand.draws.float32);
  EXPECT_TRUE(together.draws.float64 == by_hand.draws.float64);
  for (const Result* r : {&together, &by_hand})  // one may be judged not to have converged, and then knows nothing
    EXPECT_EQ(!std::isnan(r->precision.error) || r->precision.unknown, s.precision == Precision::single_precision);
  if (!together.precision.unknown && !by_hand.precision.unknown && s.precision == Precision::single_precision) {
    EXPECT_EQ(together.precision.error, by_hand.precision.error);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Superchains,
                         testing::Values(Kind{"normal", "hmc", Precision::single_precision},
                                         Kind{"eight_schools", "hmc", Precision::double_precision},
                                         Kind{"normal", "mala", Precision::double_precision},
                                         Kind{"eight_schools", "metropolis", Precision::double_precision}),
                         [](const auto& instance) {
                           return std::string(instance.param.model) + "_" + instance.param.sampler;
                         });

Settings small() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 64;
  s.warmup.transitions = 30;
  s.sampling.draws = 10;
  s.seed = 1;
  return s;
}

TEST(SuperchainSettings, defaults) {
  const Model model = builtin_model("normal");
  const auto used = [&](const Settings& s) { return sample(model, s).settings.superchains; };
  Settings s = small();
  EXPECT_EQ(used(s), 16u);
  s.chains = 63;
  EXPECT_EQ(used(s), 0u);
  s.superchains = 31;
  EXPECT_EQ(used(s), 31u);
  s.superchains = 1;
  EXPECT_EQ(used(s), 0u);
  s = small();
  s.warmup.initial_points.assign(64 * model.layout().dimension, 0.5);
  EXPECT_EQ(used(s), 0u);
}

// Every chain of its own where superchains are turned off.
TEST(SuperchainSettings, none) {
  Settings s = small();
  s.superchains = 0;
  s.precision = Precision::single_precision;
  const auto engine = make_cpu_engine(builtin_model("normal"), s);
  engine->initialise({}, 100);
  std::set<double> places;
  for (std::size_t c = 0; c < s.chains; ++c) places.insert(engine->position(c)[0]);
  EXPECT_EQ(places.size(), s.chains);
  EXPECT_TRUE(std::isnan(sample(builtin_model("normal"), s).summary[0].statistics.rhat_nested));
}

}  // namespace
