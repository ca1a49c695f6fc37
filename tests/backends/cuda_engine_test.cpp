// Runs on a CUDA device: against the CPU, and against themselves cut in another way.
#include <cmath>
#include <vector>

#include "backends/gpu.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "run/values_on.hpp"
#include "streaming.hpp"

namespace {

using namespace manychain;
using CudaEngine = GpuTest;

Model normal(int dimension) {
  Data data;
  data.set("D", dimension);
  return builtin_model("normal", data);
}

/// Fixed tuning, so that nothing depends on the number of chains.
Settings fixed(Backend backend, Precision precision) {
  Settings s;
  s.backend = backend;
  s.precision = precision;
  s.chains = 1000;
  s.warmup.transitions = 20;
  s.sampling.draws = 30;
  s.seed = 11;
  s.sampling.step_size = 0.3;
  s.sampling.trajectory = 1.5;
  return s;
}

bool same_draws(const Result& a, const Result& b) {
  return a.draws.float32 == b.draws.float32 && a.draws.float64 == b.draws.float64;
}

// A chain per thread, and terms dealt to the threads of a warp; one point without a density.
TEST_F(CudaEngine, values_are_those_of_the_cpu) {
  for (const char* const name : {"eight_schools", "logistic_regression"}) {
    const Model model = builtin_model(name);
    const std::size_t d = model.layout().dimension, count = 77;
    std::vector<double> points(count * d);
    for (std::size_t k = 0; k < points.size(); ++k) points[k] = std::sin(static_cast<double>(k));
    points[0] = std::nan("");
    Settings settings;
    settings.precision = Precision::double_precision;
    settings.backend = Backend::cpu;
    const ValuesOn cpu = values_on(model, settings, points, count);
    settings.backend = Backend::cuda;
    const ValuesOn gpu = values_on(model, settings, points, count);
    EXPECT_TRUE(std::isnan(gpu.log_densities[0])) << name;
    for (std::size_t k = 1; k < count; ++k)
      EXPECT_NEAR(gpu.log_densities[k], cpu.log_densities[k], 1e-12 * std::fabs(cpu.log_densities[k])) << name;
    ASSERT_EQ(gpu.gradients.size(), points.size());
    for (std::size_t k = d; k < points.size(); ++k)
      EXPECT_NEAR(gpu.gradients[k], cpu.gradients[k], 1e-10 * (1 + std::fabs(cpu.gradients[k]))) << name;
  }
}

// In double and with the same random integers the two backends differ by rounding alone, and HMC on a normal does not
// amplify it: 50 trajectories of at most 5 steps, each rounding a few times 1e-16. An acceptance on the verge may flip
// a chain, with a probability of the order of 1e-15 per transition.
TEST_F(CudaEngine, same_chains_as_the_cpu_in_double) {
  for (const char* sampler : {"hmc", "metropolis"}) {
    Settings settings = fixed(Backend::cuda, Precision::double_precision);
    settings.sampler = sampler;
    const Result gpu = sample(normal(10), settings);
    settings.backend = Backend::cpu;
    const Result cpu = sample(normal(10), settings);
    EXPECT_EQ(gpu.backend, "cuda");
    ASSERT_EQ(gpu.draws.float64.size(), cpu.draws.float64.size());
    double worst = 0;
    for (std::size_t i = 0; i < cpu.draws.float64.size(); ++i)
      worst = std::max(worst, std::fabs(gpu.draws.float64[i] - cpu.draws.float64[i]));
    EXPECT_LT(worst, 1e-11) << sampler;
    EXPECT_EQ(gpu.gradients, cpu.gradients) << sampler;
    EXPECT_NEAR(gpu.sampling.acceptance_rate, cpu.sampling.acceptance_rate, 1e-9) << sampler;
  }
}

double furthest(const Result& a, const Result& b) {
  double worst = a.draws.float64.size() == b.draws.float64.size() ? 0 : HUGE_VAL;
  for (std::size_t i = 0; i < a.draws.float64.size(); ++i)
    worst = std::max(worst, std::fabs(a.draws.float64[i] - b.draws.float64[i]));
  return worst;
}

// A chain has 32 threads here, to which the rows are dealt, and none counts anything twice: moments of a window,
// counters, draws. Posteriors of logistic regressions are nearly normal; sums of 1000 rows round some 1e-14.
TEST_F(CudaEngine, threads_that_share_a_chain) {
  Settings settings = fixed(Backend::cuda, Precision::double_precision);
  settings.chains = 24;
  settings.superchains = 0;
  settings.warmup.transitions = 40;
  settings.sampling.draws = 5;
  settings.sampling.thin = 2;
  settings.sampling.step_size.reset();
  settings.sampling.trajectory = 0.5;
  const Model model = builtin_model("logistic_regression");
  const Result gpu = sample(model, settings);
  settings.backend = Backend::cpu;
  const Result cpu = sample(model, settings);
  EXPECT_LT(furthest(gpu, cpu), 1e-8);
  EXPECT_EQ(gpu.gradients, cpu.gradients);
  EXPECT_NEAR(gpu.warmup.tuning[0].step_size, cpu.warmup.tuning[0].step_size, 1e-8);
  for (std::size_t i = 0; i < cpu.warmup.tuning[0].inverse_metric.size(); ++i)
    EXPECT_NEAR(gpu.warmup.tuning[0].inverse_metric[i] / cpu.warmup.tuning[0].inverse_metric[i], 1, 1e-8);
  EXPECT_NEAR(gpu.sampling.acceptance_rate, cpu.sampling.acceptance_rate, 1e-8);

  Settings few = settings;
  few.backend = Backend::cuda;
  few.sampling.step_size = gpu.warmup.tuning[0].step_size;
  few.warmup.transitions = 2;
  const Result many = sample(model, few);
  few.chains = 7;
  few.blocks_per_second = 1000000;  // one transition per block
  const Result seven = sample(model, few);
  for (std::size_t d = 0; d < seven.draws.draws; ++d)
    for (std::size_t v = 0; v < seven.draws.variables; ++v)
      for (std::size_t c = 0; c < 7; ++c) ASSERT_EQ(seven.draws(d, v, c), many.draws(d, v, c));
}

// A metric with two directions, and the other integrator: as above.
TEST_F(CudaEngine, same_chains_with_directions_in_double) {
  Settings settings = fixed(Backend::cuda, Precision::double_precision);
  settings.sampling.metric = MetricKind::dense;  // room for directions
  const double r = std::sqrt(0.5);
  Metric metric{std::vector<double>(10, 1.0), {3, 0.4}, std::vector<double>(20, 0.0)};
  metric.directions[0] = metric.directions[1] = metric.directions[12] = r;
  metric.directions[17] = -r;
  Block block;
  block.count = 30;
  const auto points_of = [&](std::unique_ptr<Engine> engine) {
    engine->initialise({}, 100);
    engine->set_metric(0, metric);
    engine->set_tuning(
        0, {.step_size = 0.6, .trajectory = 1.5, .leapfrog_limit = 100, .integrator = Integrator::two_stage});
    engine->advance(block, 0);
    return engine->points(settings.chains).positions;
  };
  const std::vector<double> gpu = points_of(make_cuda_engine(normal(10), settings));
  const std::vector<double> cpu = points_of(make_cpu_engine(normal(10), settings));
  double worst = 0;
  for (std::size_t i = 0; i < cpu.size(); ++i) worst = std::max(worst, std::fabs(gpu[i] - cpu[i]));
  EXPECT_LT(worst, 1e-11);
}

// A model without a hierarchy needs no kernels for one. Those of others: cuda_on_host.sample_with_leaves.
TEST_F(CudaEngine, has_constant_masses_where_no_scale_depends_on_a_parameter) {
  Settings settings = fixed(Backend::cuda, Precision::single_precision);
  settings.sampling.metric = MetricKind::hierarchical;
  const Result result = sample(normal(10), settings);
  EXPECT_EQ(result.warmup.tuning[0].leaves, 0u);
  EXPECT_FALSE(result.posterior.without_leaves);
}

// In single precision chains part after a while; the distribution does not. z < 6: 20 comparisons, 1e-7 in all.
TEST_F(CudaEngine, same_distribution_as_the_truth_in_single) {
  Settings settings = fixed(Backend::cuda, Precision::single_precision);
  settings.chains = 10000;
  settings.sampling.draws = 20;
  const Result r = sample(normal(10), settings);
  const std::size_t chains = r.draws.chains;
  for (std::size_t v = 0; v < r.draws.variables; ++v)
    for (const int power : {1, 2}) {
      double sum = 0, squares = 0;  // of the chains' means
      for (std::size_t c = 0; c < chains; ++c) {
        double mean = 0;
        for (std::size_t d = 0; d < r.draws.draws; ++d)
          mean += std::pow(r.draws(d, v, c), power) / static_cast<double>(r.draws.draws);
        sum += mean, squares += mean * mean;
      }
      const double n = static_cast<double>(chains), mean = sum / n;
      const double error = std::sqrt((squares / n - mean * mean) / (n - 1));
      EXPECT_LT(std::fabs(mean - (power == 2)) / error, 6) << "variable " << v << " power " << power;
    }
}

/// The log density that the device recorded against the host's in double at the same point.
void expect_log_density(const Model& model, Precision precision, double tolerance) {
  Settings settings = fixed(Backend::cuda, precision);
  settings.chains = 64;
  settings.sampling.draws = 4;
  settings.sampling.step_size = 0.05;
  settings.sampling.trajectory = 0.2;
  const Result r = sample(model, settings);
  std::vector<double> q(model.layout().dimension);
  for (std::size_t c = 0; c < r.draws.chains; ++c)
    for (std::size_t d = 0; d < r.draws.draws; ++d) {
      for (std::size_t i = 0; i < q.size(); ++i) q[i] = r.draws(d, i, c);
      const double lp = model.bound().density(q.data(), nullptr);
      EXPECT_NEAR(r.sample_stats(d, 0, c), lp, tolerance) << "chain " << c << " draw " << d;
    }
}

// 1000 data terms, each the difference of y x and log1p_exp(x) at x = dot(z, beta), |x| < 32. Rounding of a dot product
// of 25 and of its functions: at most 40 units of x's last place; then the rounding of lp itself, below 2^15.
TEST_F(CudaEngine, log_density_like_the_hosts) {
  const Model model = builtin_model("logistic_regression");
  const double terms = 1000 * 40 * 32 + 32768;
  expect_log_density(model, Precision::single_precision, terms * 0x1p-24);
  expect_log_density(model, Precision::double_precision, terms * 0x1p-53);
}

TEST_F(CudaEngine, same_bits_for_any_block_length_and_whatever_is_recorded) {
  for (const bool adapted : {false, true}) {
    Settings settings = fixed(Backend::cuda, Precision::single_precision);
    settings.chains = 300;  // no multiple of a block or of a partial sum
    settings.warmup.transitions = adapted ? 60 : 20;
    settings.sampling.thin = 2;
    if (adapted) settings.sampling.step_size.reset();
    const Model model = builtin_model("eight_schools");
    const Result whole = sample(model, settings);
    EXPECT_TRUE(same_draws(whole, sample(model, settings))) << "the same run again";

    Settings cut = settings;
    cut.blocks_per_second = 1000000;  // one transition per block
    const Result pieces = sample(model, cut);
    EXPECT_TRUE(same_draws(whole, pieces));
    EXPECT_EQ(whole.warmup.tuning[0].step_size, pieces.warmup.tuning[0].step_size);
    EXPECT_EQ(whole.warmup.tuning[0].inverse_metric, pieces.warmup.tuning[0].inverse_metric);
    EXPECT_EQ(whole.gradients, pieces.gradients);

    Settings bare = settings;
    bare.output.keep_sample_stats = false;
    EXPECT_TRUE(same_draws(whole, sample(model, bare)));
    bare.output.keep_draws = false;
    EXPECT_NEAR(sample(model, bare).summary[0].statistics.mean, whole.summary[0].statistics.mean, 1e-4);
  }
}

TEST_F(CudaEngine, a_chain_does_not_depend_on_the_number_of_chains) {
  Settings settings = fixed(Backend::cuda, Precision::single_precision);
  const Result many = sample(normal(10), settings);
  settings.chains = 77;
  const Result few = sample(normal(10), settings);
  for (std::size_t d = 0; d < few.draws.draws; ++d)
    for (std::size_t v = 0; v < few.draws.variables; ++v)
      for (std::size_t c = 0; c < few.draws.chains; ++c) ASSERT_EQ(few.draws(d, v, c), many.draws(d, v, c));
}

TEST_F(CudaEngine, summary_like_the_hosts) {
  Settings settings = fixed(Backend::cuda, Precision::single_precision);
  settings.chains = 777;
  const Result r = sample(builtin_model("eight_schools"), settings);
  const auto host = summarise(DrawsView<float>{r.draws.float32.data(), r.draws.draws, r.draws.variables, r.draws.chains,
                                               r.draws.variables * r.draws.chains, r.draws.chains, 1});
  ASSERT_EQ(host.size(), r.summary.size());
  for (std::size_t v = 0; v < host.size(); ++v) {
    const VariableSummary& device = r.summary[v].statistics;
    EXPECT_NEAR(device.mean, host[v].mean, 1e-10 * (1 + std::fabs(host[v].mean))) << r.summary[v].name;
    EXPECT_NEAR(device.q50, host[v].q50, 1e-10 * (1 + std::fabs(host[v].q50))) << r.summary[v].name;
    EXPECT_NEAR(device.rhat, host[v].rhat, 1e-9) << r.summary[v].name;
    EXPECT_NEAR(device.ess_bulk, host[v].ess_bulk, 1e-8 * host[v].ess_bulk) << r.summary[v].name;
  }
}

TEST_F(CudaEngine, streaming_diagnostics_like_those_of_kept_draws) {
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    Settings settings = fixed(Backend::cuda, precision);
    settings.chains = 300;
    settings.sampling.draws = 60;
    const Result stored = sample(builtin_model("eight_schools"), settings);
    settings.output.keep_draws = false;
    const Result streamed = sample(builtin_model("eight_schools"), settings);
    streaming::expect_equal(stored, streamed, {settings.chains, *settings.sampling.draws, precision});
    settings.blocks_per_second = 1000000;  // one transition per block
    const Result cut = sample(builtin_model("eight_schools"), settings);
    for (std::size_t v = 0; v < cut.summary.size(); ++v) {
      EXPECT_EQ(cut.summary[v].statistics.mean, streamed.summary[v].statistics.mean);
      EXPECT_EQ(cut.summary[v].statistics.q5, streamed.summary[v].statistics.q5);
      EXPECT_EQ(cut.summary[v].statistics.rhat, streamed.summary[v].statistics.rhat);
    }
  }
}

// Dual averaging on the device comes to what it comes to on the CPU: pooled over 512 chains the noise is small. The
// scales of the 100 normals differ by a factor of 1000.
void expect_warm_up_like_the_cpus(Precision precision) {
  Settings settings;
  settings.backend = Backend::cuda;
  settings.precision = precision;
  settings.chains = 512;  // by default a GPU has as many as fill it
  settings.sampling.draws = 50;
  const Model model = builtin_model("ill_conditioned_normal");
  const Result gpu = sample(model, settings);
  settings.backend = Backend::cpu;
  const Result cpu = sample(model, settings);
  EXPECT_NEAR(gpu.warmup.tuning[0].step_size, cpu.warmup.tuning[0].step_size, 0.1 * cpu.warmup.tuning[0].step_size);
  EXPECT_NEAR(gpu.sampling.acceptance_rate, cpu.sampling.acceptance_rate, 0.02);
  EXPECT_GT(gpu.sampling.acceptance_rate, 0.7);
  EXPECT_NEAR(std::sqrt(gpu.warmup.tuning[0].inverse_metric[99]), 10, 1);
  EXPECT_NEAR(static_cast<double>(gpu.gradients), static_cast<double>(cpu.gradients), 0.1 * cpu.gradients);
  EXPECT_TRUE(gpu.sampling.nonfinite_chains.empty());
}

TEST_F(CudaEngine, warm_up_in_single) { expect_warm_up_like_the_cpus(Precision::single_precision); }
TEST_F(CudaEngine, warm_up_in_double) { expect_warm_up_like_the_cpus(Precision::double_precision); }

TEST_F(CudaEngine, more_memory_than_there_is) {
  Settings settings = fixed(Backend::cuda, Precision::single_precision);
  settings.chains = 1000000;
  settings.sampling.draws = 1000000;
  EXPECT_THROW(sample(normal(10), settings), OutOfMemory);
}

TEST_F(CudaEngine, device_by_its_number) {
  Settings settings = fixed(Backend::cuda, Precision::single_precision);
  const Result current = sample(normal(10), settings);
  settings.device = 0;
  EXPECT_EQ(sample(normal(10), settings).backend, "cuda");
  EXPECT_TRUE(current.no_gpu.empty());
  settings.device = 999;
  for (const Backend backend : {Backend::cuda, Backend::automatic}) {
    settings.backend = backend;
    try {
      sample(normal(10), settings);
      FAIL() << "no error";
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find("there is no CUDA device 999; there "), std::string::npos)
          << error.what();
    }
  }
}

TEST_F(CudaEngine, says_the_compute_capability) { EXPECT_GE(cuda_state().capability, 75); }

// Runs without a device too.
TEST(CudaAbsent, says_what_is_missing) {
  std::string why;
  if (cuda_available(&why)) GTEST_SKIP() << "there is a device";
  EXPECT_FALSE(why.empty());
  Settings settings = fixed(Backend::cuda, Precision::single_precision);
  try {
    make_cuda_engine(normal(2), settings);
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("CUDA"), std::string::npos) << error.what();
  }
}

}  // namespace
