// Jobs in lockstep: what they ask for together is computed together. Draws of a density of all chains at once are those
// of the same density one point at a time.
#include "foreign/lockstep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "foreign/compiled_density.hpp"
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

/// The log density at a point, its gradient into `gradient`, in one dimension.
double ask(Lockstep<double>& together, double at, double& gradient) {
  *together.points(1) = at;
  const Lockstep<double>::Answers found = together.wait();
  gradient = *found.gradients;
  return *found.log_densities;
}

TEST(Lockstep, JobsOfUnequalLengthShareTheirBatches) {
  std::vector<std::size_t> sizes;
  Lockstep<double> together(
      1,
      [&](const double* points, std::size_t count, double* values, double* gradients) {
        sizes.push_back(count);
        for (std::size_t k = 0; k < count; ++k) values[k] = 2 * points[k], gradients[k] = -points[k];
      },
      8);
  std::vector<double> sums(5, 0);
  for (int round = 0; round < 2; ++round) {  // stacks are used again
    sizes.clear();
    together.run(5, [&](std::int64_t job) {
      for (std::int64_t k = 0; k <= job; ++k) {
        const double at = static_cast<double>(10 * job + k);
        double gradient = 0;
        EXPECT_EQ(ask(together, at, gradient), 2 * at);
        EXPECT_EQ(gradient, -at);
        sums[static_cast<std::size_t>(job)] += at;
      }
    });
    EXPECT_EQ(sizes, (std::vector<std::size_t>{5, 4, 3, 2, 1}));
  }
  EXPECT_EQ(sums[2], 2 * (20 + 21 + 22));
}

TEST(Lockstep, JobsAskForSeveralPointsOrNone) {
  std::vector<std::vector<double>> batches;
  Lockstep<double> together(
      2,
      [&](const double* points, std::size_t count, double* values, double* gradients) {
        batches.emplace_back(points, points + 2 * count);
        for (std::size_t k = 0; k < count; ++k) values[k] = points[2 * k] + points[2 * k + 1];
        std::copy_n(points, 2 * count, gradients);
      },
      8);
  together.run(4, [&](std::int64_t job) {
    for (int turn = 0; turn < 2 && job != 2; ++turn) {
      const std::size_t count = static_cast<std::size_t>(job) + 1;
      double* const points = together.points(count);
      for (std::size_t i = 0; i < 2 * count; ++i)
        points[i] = static_cast<double>(100 * turn + 10 * job) + static_cast<double>(i);
      const Lockstep<double>::Answers found = together.wait();
      for (std::size_t k = 0; k < count; ++k) {
        EXPECT_EQ(found.gradients[2 * k], static_cast<double>(100 * turn + 10 * job) + static_cast<double>(2 * k));
        EXPECT_EQ(found.log_densities[k], found.gradients[2 * k] + found.gradients[2 * k + 1]);
      }
    }
  });
  const std::vector<double> first{0, 1, 10, 11, 12, 13, 30, 31, 32, 33, 34, 35, 36, 37};
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0], first);
  EXPECT_EQ(batches[1].size(), first.size());
}

TEST(Lockstep, MoreJobsThanStacks) {
  std::size_t largest = 0, asked = 0;
  Lockstep<double> together(
      1,
      [&](const double*, std::size_t count, double* values, double* gradients) {
        largest = std::max(largest, count);
        asked += count;
        std::fill_n(values, count, 0);
        std::fill_n(gradients, count, 0);
      },
      512);
  constexpr std::int64_t jobs = 512 + 100;
  std::int64_t done = 0;
  together.run(jobs, [&](std::int64_t) {
    double gradient = 0;
    ask(together, 0, gradient);
    ++done;
  });
  EXPECT_EQ(done, jobs);
  EXPECT_EQ(largest, 512u);
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
    Lockstep<double> together(
        1,
        [&](const double*, std::size_t count, double* values, double* gradients) {
          if (++calls == 3 && !job_fails) throw std::runtime_error("the batch");
          std::fill_n(values, count, 0);
          std::fill_n(gradients, count, 0);
        },
        16);
    const auto job = [&](std::int64_t number) {
      const Held held(alive);
      double gradient = 0;
      for (int k = 0; k < 5; ++k) {
        if (job_fails && number == 3 && k == 2) throw std::runtime_error("the job");
        ask(together, 0, gradient);
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
  for (const char* sampler : {"hmc", "metropolis", "single_component", "mala", "ula"})
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

/// A normal around `centre`, with `height` added to its log density.
template <class Number>
typename Lockstep<Number>::Batch normals(Number centre, Number height) {
  return [=](const Number* points, std::size_t count, Number* values, Number* gradients) {
    for (std::size_t k = 0; k < count; ++k) {
      values[k] = height;
      for (std::size_t i = 2 * k; i < 2 * k + 2; ++i) {
        gradients[i] = centre - points[i];
        values[k] -= gradients[i] * gradients[i] / 2;
      }
    }
  };
}
Model in_both(double centre, double height) {
  BatchedDensity batched;
  batched.dimension = 2;
  batched.function = normals<double>(centre, height);
  batched.gradient_values = 1;
  return batched_model(batched, normals<float>(static_cast<float>(centre), static_cast<float>(height)));
}

/// Without warm-up chains know nothing of each other, and lanes that are left over change nothing.
TEST(BatchedDensity, DrawsInSingleAreThoseOfEachChain) {
  const Model model = in_both(0.5, 0);
  for (const char* sampler : {"hmc", "metropolis", "single_component", "mala", "ula"}) {
    const auto draws = [&](std::size_t chains) {
      Settings settings;
      settings.sampler = sampler;
      settings.precision = Precision::single_precision;
      settings.chains = chains;
      settings.superchains = 0;
      settings.warmup.transitions = 0;
      settings.sampling.step_size = 0.3;
      settings.sampling.draws = 30;
      settings.seed = 5;
      return sample(model, settings).draws.float32;
    };
    const auto many = draws(100), few = draws(7);
    ASSERT_EQ(many.size(), 100u * 60);
    ASSERT_EQ(few.size(), 7u * 60);
    for (std::size_t row = 0; row < 60; ++row)
      for (std::size_t c = 0; c < 7; ++c)
        ASSERT_EQ(few[row * 7 + c], many[row * 100 + c]) << sampler << row << ' ' << c;
  }
}

TEST(BatchedDensity, TheRunChoosesItsPrecision) {
  const Result near = sampled(in_both(0.5, 0), "hmc", true, 64);
  EXPECT_TRUE(near.precision.chosen && near.precision.check.looked && near.precision.check.enough);
  EXPECT_TRUE(near.draws.float64.empty());
  EXPECT_EQ(near.draws.float32.size(), 64u * 60);
  // Singles near 1e7 are a whole number apart.
  const Result high = sampled(in_both(0.5, 1e7), "hmc", true, 64);
  EXPECT_TRUE(high.precision.chosen && high.precision.check.looked);
  EXPECT_FALSE(high.precision.check.enough);
  EXPECT_EQ(high.draws.float64.size(), 64u * 60);
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
  Settings single;
  single.precision = Precision::single_precision;
  EXPECT_THROW(sample(Model(batched), single), BadInput);
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
