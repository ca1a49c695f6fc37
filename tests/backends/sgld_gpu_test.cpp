// Minibatches of rows of fixed size on a device.
#include <cmath>
#include <vector>

#include "backends/gpu.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"

namespace {

using namespace manychain;
using SgldOnGpu = GpuTest;

constexpr int rows = 40;

/// y = X beta + noise with beta = 1, 0.8, 0.6, ... Entries of X lie in (-1, 1), the noise in (-1, 1); no random
/// numbers.
Data regression(int columns) {
  std::vector<double> x, y;
  for (int i = 0; i < rows; ++i) {
    double mean = 0;
    for (int j = 0; j < columns; ++j) {
      x.push_back(std::sin(1.0 + 7 * i + 3 * j));
      mean += (1 - 0.2 * j) * x.back();
    }
    y.push_back(mean + std::sin(5.0 * i));
  }
  Data data;
  data.set("N", rows);
  data.set("D", columns);
  data.set("X", x, {static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)});
  data.set("y", y);
  return data;
}

// Five columns have a variant of fixed size, whose rows are read 16 bytes at a time; four have none. The same
// minibatches on both backends, of random integers; from there on rounding alone differs, and nothing is accepted or
// rejected. Near the mode the gradient is below 1e3 and its derivative below 1e2: with eps = 1e-4 a step rounds by at
// most
//   u (2 |q| + eps/2 50 terms 1e3 + 10 sqrt(eps) |z|) < 2e-15
// in the last place u = 1.1e-16, and 15 steps grow it by less than (1 + 5e-3)^15. In all 4e-14.
TEST_F(SgldOnGpu, same_chains_as_the_cpu_in_double) {
  for (const int columns : {4, 5})
    for (const std::size_t minibatch : {0, 8}) {
      const Model model = builtin_model("linear_regression", regression(columns));
      Settings settings;
      settings.sampler = "sgld";
      settings.precision = Precision::double_precision;
      settings.chains = 96;
      settings.warmup.transitions = 5;
      settings.sampling.draws = 10;
      settings.seed = 3;
      settings.sampling.schedule = StepSchedule{1e-4, 1, 0.55};
      settings.sampling.minibatch = minibatch;
      settings.superchains = 0;
      for (std::size_t i = 0; i < model.layout().dimension; ++i)
        for (std::size_t c = 0; c < settings.chains; ++c)
          settings.warmup.initial_points.push_back(i < static_cast<std::size_t>(columns) ? 1 - 0.2 * double(i) : 0.0);

      settings.backend = Backend::cuda;
      const Result gpu = sample(model, settings);
      settings.backend = Backend::cpu;
      const Result cpu = sample(model, settings);
      ASSERT_EQ(gpu.backend, "cuda");
      ASSERT_EQ(gpu.draws.float64.size(), cpu.draws.float64.size());
      ASSERT_FALSE(cpu.draws.float64.empty());
      double worst = 0, apart = 0;
      for (std::size_t i = 0; i < cpu.draws.float64.size(); ++i) {
        worst = std::max(worst, std::fabs(gpu.draws.float64[i] - cpu.draws.float64[i]));
        const std::size_t first = i % (cpu.draws.variables * cpu.draws.chains);  // of this chain, the same variable
        apart = std::max(apart, std::fabs(cpu.draws.float64[i] - cpu.draws.float64[first]));
      }
      EXPECT_LT(worst, 1e-13) << columns << " columns, minibatch " << minibatch;
      EXPECT_GT(apart, 1e-3) << "the chains moved";
      EXPECT_EQ(gpu.sampling.divergences, 0u);
    }
}

}  // namespace
