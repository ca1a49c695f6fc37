// Jobs in lockstep: what they ask for together is computed together. Draws of a density of all chains at once are those
// of the same density one point at a time.
#include "foreign/lockstep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"

namespace {

using namespace manychain;

double squared(const double* q, double* gradient, std::size_t dimension) {
  double sum = 0;
  for (std::size_t i = 0; i < dimension; ++i) {
    gradient[i] = -q[i] / static_cast<double>(i + 1);
    sum -= 0.5 * q[i] * q[i] / static_cast<double>(i + 1);
  }
  return sum;
}

TEST(Lockstep, JobsOfUnequalLengthShareTheirBatches) {
  std::vector<std::size_t> sizes;
  Lockstep together(1, [&](const double* points, std::size_t count, double* values, double* gradients) {
    sizes.push_back(count);
    for (std::size_t k = 0; k < count; ++k) values[k] = 2 * points[k], gradients[k] = -points[k];
  });
  std::vector<double> sums(5, 0);
  for (int round = 0; round < 2; ++round) {  // stacks are used again
    sizes.clear();
    together.run(5, [&](std::int64_t job) {
      for (std::int64_t k = 0; k <= job; ++k) {
        const double at = static_cast<double>(10 * job + k);
        double gradient = 0;
        EXPECT_EQ(Lockstep::current(), &together);
        EXPECT_EQ(together.ask(&at, &gradient), 2 * at);
        EXPECT_EQ(gradient, -at);
        sums[static_cast<std::size_t>(job)] += at;
      }
    });
    EXPECT_EQ(sizes, (std::vector<std::size_t>{5, 4, 3, 2, 1}));
    EXPECT_EQ(Lockstep::current(), nullptr);
  }
  EXPECT_EQ(sums[2], 2 * (20 + 21 + 22));
}

TEST(Lockstep, MoreJobsThanStacks) {
  std::size_t largest = 0, asked = 0;
  Lockstep together(1, [&](const double*, std::size_t count, double* values, double* gradients) {
    largest = std::max(largest, count);
    asked += count;
    std::fill_n(values, count, 0);
    std::fill_n(gradients, count, 0);
  });
  const std::int64_t jobs = Lockstep::most_alive + 100;
  std::int64_t done = 0;
  together.run(jobs, [&](std::int64_t) {
    const double at = 0;
    double gradient = 0;
    together.ask(&at, &gradient);
    ++done;
  });
  EXPECT_EQ(done, jobs);
  EXPECT_EQ(largest, static_cast<std::size_t>(Lockstep::most_alive));
  EXPECT_EQ(asked, static_cast<std::size_t>(jobs));
}

/// Jobs give back all that they hold, whoever fails.
TEST(Lockstep, FailuresUnwindAllJobs) {
  for (const bool job_fails : {true, false}) {
    int calls = 0, alive = 0;
    struct Held {
      int& alive;
      explicit Held(int& a) : alive(a) { ++alive; }
      ~Held() { --alive; }
    };
    Lockstep together(1, [&](const double*, std::size_t count, double* values, double* gradients) {
      if (++calls == 3 && !job_fails) throw std::runtime_error("the batch");
      std::fill_n(values, count, 0);
      std::fill_n(gradients, count, 0);
    });
    const auto job = [&](std::int64_t number) {
      const Held held(alive);
      const double at = 0;
      double gradient = 0;
      for (int k = 0; k < 5; ++k) {
        if (job_fails && number == 3 && k == 2) throw std::runtime_error("the job");
        together.ask(&at, &gradient);
      }
    };
    try {
      together.run(10, job);
      ADD_FAILURE();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), job_fails ? "the job" : "the batch");
    }
    EXPECT_EQ(alive, 0);
    calls = 10;
    if (!job_fails) together.run(10, job);  // and the next run is as good as the first
  }
}

Result sampled(const Model& model, const std::string& sampler, bool keep_draws, std::size_t chains) {
  Settings settings;
  settings.sampler = sampler;
  settings.output.keep_draws = keep_draws;
  settings.chains = chains;
  settings.superchains = 0;
  settings.warmup.transitions = 60;
  settings.sampling.draws = 30;
  settings.seed = 5;
  return sample(model, settings);
}

TEST(BatchedDensity, HasTheDrawsOfOnePointAtATime) {
  constexpr std::size_t dimension = 40;  // with a trial of integrators
  BatchedDensity batched;
  batched.dimension = dimension;
  std::size_t calls = 0, points_asked = 0;
  batched.function = [&](const double* points, std::size_t count, double* values, double* gradients) {
    ++calls;
    points_asked += count;
    for (std::size_t k = 0; k < count; ++k)
      values[k] = squared(points + k * dimension, gradients + k * dimension, dimension);
  };
  batched.gradient_values = 1;
  CompiledDensity compiled;
  compiled.dimension = dimension;
  compiled.value_and_gradient = [](const double* q, double* gradient) { return squared(q, gradient, dimension); };
  compiled.gradient_values = 1;
  const Model together(batched), alone(compiled);
  for (const char* sampler : {"hmc", "metropolis", "mala"})
    for (const bool keep : {true, false})
      for (const std::size_t chains : {1u, 7u, 100u}) {
        calls = points_asked = 0;
        const Result a = sampled(together, sampler, keep, chains), b = sampled(alone, sampler, keep, chains);
        EXPECT_EQ(a.draws.float64, b.draws.float64) << sampler << chains;
        EXPECT_EQ(a.gradients, b.gradients);
        ASSERT_EQ(a.summary.size(), b.summary.size());
        for (std::size_t i = 0; i < a.summary.size(); ++i)
          EXPECT_EQ(a.summary[i].statistics.mean, b.summary[i].statistics.mean);
        EXPECT_GT(static_cast<double>(points_asked), 0.3 * static_cast<double>(calls * chains));
      }
}

TEST(BatchedDensity, SaysWhatIsWrong) {
  BatchedDensity batched;
  EXPECT_THROW(Model{batched}, BadInput);
  batched.dimension = 1;
  EXPECT_THROW(Model{batched}, BadInput);
  batched.function = [](const double*, std::size_t, double*, double*) { throw std::runtime_error("in a batch"); };
  try {
    sampled(Model(batched), "hmc", true, 64);
    ADD_FAILURE();
  } catch (const SamplingFailed& error) {
    EXPECT_STREQ(error.what(), "the compiled density threw: in a batch");
  }
  Settings threads;
  threads.threads = 2;
  EXPECT_THROW(sample(Model(batched), threads), BadInput);
}

/// Its gradient is checked as others are.
TEST(BatchedDensity, CanBeChecked) {
  BatchedDensity batched;
  batched.dimension = 3;
  batched.function = [](const double* points, std::size_t count, double* values, double* gradients) {
    for (std::size_t k = 0; k < count; ++k) values[k] = squared(points + 3 * k, gradients + 3 * k, 3);
  };
  EXPECT_TRUE(check_gradient(Model(batched)).passed);
}

}  // namespace
