// The report of a run: evaluations counted exactly, chains named, and errors that say what is wrong.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>

#include "manychain/core/error.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"

namespace {

using namespace manychain;

CompiledDensity standard_normal(std::atomic<std::uint64_t>& calls) {
  CompiledDensity density;
  density.dimension = 2;
  density.value_and_gradient = [&calls](const double* q, double* gradient) {
    ++calls;
    gradient[0] = -q[0];
    gradient[1] = -q[1];
    return -0.5 * (q[0] * q[0] + q[1] * q[1]);
  };
  return density;
}

Settings double_settings(const char* sampler) {
  Settings s;
  s.backend = Backend::cpu;
  s.sampler = sampler;
  s.precision = Precision::double_precision;
  s.chains = 64;  // a whole number of packs: no lane is left over to evaluate in vain
  s.warmup.transitions = 100;
  s.sampling.draws = 30;
  return s;
}

TEST(Result, counts_every_evaluation) {
  for (const char* sampler : {"hmc", "metropolis"}) {
    std::atomic<std::uint64_t> calls = 0;
    Settings s = double_settings(sampler);
    s.sampling.draws = 200;  // enough that a hundredth of their evaluations suffices to look for an edge
    const Result result = sample(Model(standard_normal(calls)), s);
    // Each chain evaluated its starting point, too, paths looked for better ones, and points far away for modes. Where
    // a run has not converged, 16 chains look beside each of two components for an edge of the density.
    const std::uint64_t looked = result.converged && result.sampling.divergences == 0 ? 0 : 2 * 2 * 16;
    // The gradient is compared with differences at three chains, by nine evaluations each.
    const std::uint64_t compared = std::string(sampler) == "hmc" ? 3 * 9 : 0;
    EXPECT_EQ(result.gradients + 64 + result.warmup.starts.evaluations + result.posterior.modes.evaluations + looked +
                  compared,
              calls)
        << sampler;
  }
}

TEST(Result, leapfrogs_are_those_of_the_kept_transitions) {
  std::atomic<std::uint64_t> calls = 0;
  Settings s = double_settings("hmc");
  s.warmup.transitions = 0;
  s.sampling.step_size = 0.25;
  s.sampling.trajectory = 4;
  const Result every = sample(Model(standard_normal(calls)), s);
  ASSERT_EQ(every.sampling.leapfrogs.size(), *s.sampling.draws);
  std::uint64_t sum = 0;
  for (const std::uint32_t l : every.sampling.leapfrogs) {
    EXPECT_GE(l, 4u);  // a quarter of 4 / 0.25
    EXPECT_LE(l, 16u);
    sum += l;
  }
  EXPECT_EQ(every.gradients, sum * s.chains);
  // Jitter of low discrepancy: the mean of 30 is close to 5/8 of the longest, and half a step for rounding up.
  EXPECT_NEAR(static_cast<double>(sum) / 30, 10.5, 0.5);
}

TEST(Result, acceptance_rate_is_the_mean_of_the_kept_statistics) {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 100;
  s.sampling.draws = 50;
  const Result result = sample(builtin_model("eight_schools"), s);
  double sum = 0, divergences = 0;
  for (std::size_t d = 0; d < 50; ++d)
    for (std::size_t c = 0; c < 100; ++c) {
      sum += result.sample_stats(d, 1, c);
      divergences += result.sample_stats(d, 3, c);
    }
  EXPECT_NEAR(result.sampling.acceptance_rate, sum / 5000, 1e-6);
  EXPECT_EQ(static_cast<double>(result.sampling.divergences), divergences);
}

TEST(Result, names_the_chains_that_diverge_and_those_that_are_stuck) {
  std::atomic<std::uint64_t> calls = 0;
  CompiledDensity density = standard_normal(calls);
  // Not finite to the right of 3: who proposes that has diverged. Who stands on the needle at -50 never leaves it.
  density.value_and_gradient = [](const double* q, double* gradient) {
    gradient[0] = -q[0];
    gradient[1] = -q[1];
    if (q[0] > 3) return std::numeric_limits<double>::quiet_NaN();
    if (q[0] == -50) return 0.0;
    return -0.5 * (q[0] * q[0] + q[1] * q[1]);
  };
  Settings s = double_settings("metropolis");
  s.sampling.draws = 200;
  s.sampling.step_size = 1;
  s.warmup.initial_points.assign(2 * s.chains, 0.0);
  s.warmup.initial_points[17] = -50;
  const Result result = sample(Model(density), s);
  EXPECT_EQ(result.sampling.stuck_chains, std::vector<std::size_t>{17});
  EXPECT_FALSE(result.converged);
  EXPECT_GT(result.sampling.divergences, 0u);
  ASSERT_FALSE(result.sampling.divergent_chains.empty());
  EXPECT_LE(result.sampling.divergent_chains.size(), result.sampling.divergences);
  for (const std::size_t c : result.sampling.divergent_chains) {
    double count = 0;
    for (std::size_t d = 0; d < *s.sampling.draws; ++d) count += result.sample_stats(d, 3, c);
    EXPECT_GT(count, 0);
  }
  EXPECT_TRUE(result.sampling.nonfinite_chains.empty());
}

std::string message_of(const Model& model, const Settings& settings) {
  try {
    sample(model, settings);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Failures, no_starting_point) {
  std::atomic<std::uint64_t> calls = 0;
  CompiledDensity density = standard_normal(calls);
  density.value_and_gradient = [](const double*, double*) { return -std::numeric_limits<double>::infinity(); };
  EXPECT_THROW(sample(Model(density), double_settings("hmc")), SamplingFailed);
  const std::string message = message_of(Model(density), double_settings("hmc"));
  EXPECT_NE(message.find("Initialization failed: log density is -inf at the starting point of chain 0"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("64 of 64 chains"), std::string::npos) << message;
}

// Each evaluation is far below the last: no step is short enough.
TEST(Failures, no_step_size_names_what_may_be_wrong) {
  std::atomic<std::uint64_t> calls = 0;
  CompiledDensity density = standard_normal(calls);
  density.value_and_gradient = [&calls](const double*, double* gradient) {
    gradient[0] = gradient[1] = 1;
    return -1e6 * static_cast<double>(++calls);
  };
  Settings settings = double_settings("hmc");
  settings.warmup.transitions = 1000;
  const std::string message = message_of(Model(density), settings);
  EXPECT_EQ(message.find("No acceptably small step size could be found: data of very large or small size"), 0u)
      << message;
  EXPECT_NE(message.find("manychain check looks for mistakes"), std::string::npos) << message;
}

TEST(Failures, one_bad_starting_point_is_named) {
  std::atomic<std::uint64_t> calls = 0;
  CompiledDensity density = standard_normal(calls);
  density.value_and_gradient = [](const double* q, double* gradient) {
    gradient[0] = gradient[1] = 0;
    return q[0] > 4 ? -std::numeric_limits<double>::infinity() : 0.0;
  };
  Settings s = double_settings("hmc");
  s.warmup.initial_points.assign(2 * s.chains, 0.5);
  s.warmup.initial_points[9] = 5;
  const std::string message = message_of(Model(density), s);
  EXPECT_NE(message.find("chain 9 (unconstrained: q[1] = 5.0"), std::string::npos) << message;
  EXPECT_NE(message.find("1 of 64 chains"), std::string::npos) << message;
}

Settings eight_schools_settings() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 100;  // not a whole number of rows of 64
  s.sampling.draws = 50;
  return s;
}

// Asked for in the diagnostics, it leaves their rest out, and no draw.
TEST(Cancelled, in_the_diagnostics) {
  for (const bool keep : {true, false}) {
    Settings s = eight_schools_settings();
    s.output.keep_draws = keep;
    const Result whole = sample(builtin_model("eight_schools"), s);
    std::atomic<bool> cancel = false;
    s.cancel = &cancel;
    s.progress = [&](const Progress& p) { cancel = std::string(p.phase) == "diagnostics"; };
    const Result part = sample(builtin_model("eight_schools"), s);
    EXPECT_TRUE(part.cancelled);
    EXPECT_FALSE(part.converged);
    EXPECT_EQ(part.kept, *s.sampling.draws);
    EXPECT_EQ(part.not_summarised, whole.summary.size());
    ASSERT_EQ(part.summary.size(), whole.summary.size());
    EXPECT_EQ(part.summary[1].name, whole.summary[1].name);
    EXPECT_TRUE(std::isnan(part.summary[1].statistics.mean));
    EXPECT_TRUE(std::isnan(part.summary[1].statistics.rhat_nested));
    EXPECT_TRUE(part.draws.float32 == whole.draws.float32);
    EXPECT_TRUE(part.sample_stats.float32 == whole.sample_stats.float32);
    EXPECT_EQ(whole.not_summarised, 0u);
  }
}

// Asked for in the sampling, it does not leave the diagnostics out; asked for again, it does.
TEST(Cancelled, in_the_sampling_and_again) {
  for (const bool again : {false, true}) {
    Settings s = eight_schools_settings();
    s.sampling.draws = 100000;
    std::atomic<bool> cancel = false;
    s.cancel = &cancel;
    s.progress = [&](const Progress& p) {
      const std::string phase = p.phase;
      if (phase == "sampling") cancel = true;
      if (phase == "diagnostics" && again) cancel = false;  // heard
    };
    const Result part = sample(builtin_model("eight_schools"), s);
    EXPECT_TRUE(part.cancelled);
    EXPECT_LT(part.kept, *s.sampling.draws);
    EXPECT_EQ(part.not_summarised, 0u);
    EXPECT_FALSE(std::isnan(part.summary[0].statistics.mean));
  }
}

// The draws copied without their padding are those that the summary rests on.
TEST(Draws, are_those_of_the_summary) {
  for (const std::size_t chains : {64, 100}) {
    Settings s = eight_schools_settings();
    s.chains = chains;
    const Result r = sample(builtin_model("eight_schools"), s);
    ASSERT_EQ(r.draws.float32.size(), *s.sampling.draws * r.draws.variables * chains);
    for (std::size_t i = 0; i < r.summary.size(); ++i) {
      double mean = 0;
      for (std::size_t d = 0; d < *s.sampling.draws; ++d)
        for (std::size_t c = 0; c < chains; ++c)
          mean += r.draws(d, i, c) / static_cast<double>(*s.sampling.draws * chains);
      EXPECT_NEAR(mean, r.summary[i].statistics.mean, 1e-9 * (1 + std::fabs(mean))) << r.summary[i].name;
    }
  }
}

// The allocator leaves memory as it is: numbers that were there are there again.
TEST(Draws, memory_is_not_zeroed_first) {
  DrawValues<float> values(1000, 7.0f);
  values.resize(0);
  values.resize(1000);
  EXPECT_EQ(values[0], 7);
  EXPECT_EQ(values[999], 7);
  EXPECT_EQ(DrawValues<double>(10, 3.0), DrawValues<double>(10, 3.0));
}

TEST(Failures, data_that_do_not_fit_name_their_file) {
  const std::string path = testing::TempDir() + "y";  // the name of a variable of the model, too
  std::ofstream(path) << "{\"J\": 8}";
  try {
    builtin_model("eight_schools", Data::from_file(path));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const BadInput& error) {
    EXPECT_EQ(std::string(error.what()), path + ": variable does not exist: y; the data have J");
  }
  std::remove(path.c_str());
}

TEST(Failures, more_memory_than_there_is) {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = std::size_t{1} << 30;
  s.sampling.draws = 100000;
  EXPECT_THROW(sample(builtin_model("normal"), s), BadInput);
  const std::string message = message_of(builtin_model("normal"), s);
  EXPECT_EQ(message.rfind("this run needs ", 0), 0u) << message;
  EXPECT_NE(message.find(" GB, there are "), std::string::npos) << message;
}

TEST(Run, ten_thousand_dimensions) {
  Data data;
  data.set("D", 10000);
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 16;
  s.warmup.transitions = 100;
  s.sampling.draws = 10;
  const Result result = sample(builtin_model("normal", data), s);
  ASSERT_EQ(result.summary.size(), 10000u);
  EXPECT_TRUE(result.sampling.stuck_chains.empty());
  EXPECT_GT(result.sampling.acceptance_rate, 0.5);
  double mean = 0, square = 0;
  for (const SummaryRow& row : result.summary) {
    mean += row.statistics.mean / 10000;
    square += row.statistics.sd * row.statistics.sd / 10000;
  }
  EXPECT_NEAR(mean, 0, 0.01);
  EXPECT_NEAR(square, 1, 0.05);
}

// Packs and single lanes take the same random integers; their libraries' logarithms differ in the last bit, so that
// draws agree for some transitions and in distribution after that.
TEST(Run, a_lane_of_width_one_follows_the_pack) {
  Settings s;
  s.backend = Backend::cpu;
  s.precision = Precision::double_precision;
  s.chains = 50;
  s.warmup.transitions = 0;
  s.sampling.draws = 3;
  s.sampling.step_size = 0.3;
  const Result pack = sample(builtin_model("eight_schools"), s);
  s.scalar = true;
  const Result scalar = sample(builtin_model("eight_schools"), s);
  EXPECT_EQ(pack.sampling.leapfrogs, scalar.sampling.leapfrogs);
  for (std::size_t d = 0; d < *s.sampling.draws; ++d)
    for (std::size_t i = 0; i < pack.draws.variables; ++i)
      for (std::size_t c = 0; c < s.chains; ++c)
        EXPECT_NEAR(pack.draws(d, i, c), scalar.draws(d, i, c), 1e-9 * (1 + std::fabs(pack.draws(d, i, c))));
}

}  // namespace
