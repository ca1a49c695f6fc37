// Step sizes that run away, and what a given one leaves as it is.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "manychain/core/error.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"

namespace {

using namespace manychain;

/// Independent normals with that standard deviation; flat if it is infinite.
Model normals(std::size_t dimension, double sd) {
  CompiledDensity density;
  density.dimension = dimension;
  density.value_and_gradient = [=](const double* q, double* gradient) {
    double lp = 0;
    for (std::size_t i = 0; i < dimension; ++i) {
      lp -= 0.5 * q[i] / sd * q[i] / sd;
      if (gradient) gradient[i] = -q[i] / sd / sd;
    }
    return lp;
  };
  return Model(density);
}

Settings settings() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 64;
  s.sampling.draws = 100;
  s.seed = 4;
  return s;
}

std::string failure(const Model& model, const Settings& s) {
  try {
    sample(model, s);
  } catch (const SamplingFailed& error) {
    return error.what();
  }
  return "none";
}

// It is not called improper for sure: the advice holds for a posterior that is proper, and helps there.
TEST(StepSize, that_runs_away_has_two_causes) {
  for (const char* sampler : {"hmc", "metropolis"}) {
    Settings s = settings();
    s.sampler = sampler;
    for (const double sd : {1e10, HUGE_VAL})
      EXPECT_NE(failure(normals(1, sd), s).find("larger units"), std::string::npos) << sampler << ", " << sd;
    EXPECT_EQ(failure(normals(1, 1), s), "none") << sampler;
  }
  EXPECT_NE(failure(normals(1, HUGE_VAL), settings()).find("the posterior is improper, or"), std::string::npos);
}

// Starting points of Pathfinder bring scales, which then are left alone as well.
TEST(StepSize, that_is_given_leaves_the_metric) {
  Settings s = settings();
  s.sampling.step_size = 0.1;
  s.warmup.transitions = 10;
  s.sampling.draws = 2;
  s.warmup.starts = Starts::pathfinder;
  const Result r = sample(normals(3, 1000), s);
  EXPECT_TRUE(r.warmup.starts.taken);
  for (const double x : r.warmup.tuning[0].inverse_metric) EXPECT_EQ(x, 1);
  s.warmup.starts = Starts::uniform;
  EXPECT_EQ(r.warmup.tuning[0].trajectory, sample(normals(3, 1000), s).warmup.tuning[0].trajectory);
}

}  // namespace
