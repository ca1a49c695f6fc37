// Warm-up on a device, launch by launch: how many there are, and that it does not matter which block of one is the
// last.
#include <cstddef>
#include <string>
#include <vector>

#include "backends/gpu.hpp"
#include "manychain/chain/adapter.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "runtime/block_order.hpp"
#include "runtime/counts.hpp"

namespace {

using namespace manychain;
using CudaAdapter = GpuTest;

struct Case {
  const char* adaptation;
  int dimension;
  std::size_t chains, groups;
};

/// Some transitions of warm-up: what became of the chains and their tuning, and how many kernels that took.
struct WarmedUp {
  std::vector<double> positions;
  std::vector<double> tuning;
  std::size_t launches;
};

std::unique_ptr<Engine> engine_of(const Case& c, std::uint32_t transitions) {
  Data data;
  data.set("D", c.dimension);
  Settings settings;
  settings.backend = Backend::cuda;
  settings.warmup.adaptation = c.adaptation;
  settings.chains = c.chains;
  settings.groups = c.groups;
  settings.warmup.transitions = transitions;
  settings.sampling.draws = 1;
  settings.superchains = 0;
  settings.seed = 5;
  return make_cuda_engine(builtin_model("normal", data), settings);
}

WarmedUp warmed_up(const Case& c, std::uint32_t transitions) {
  const std::unique_ptr<Engine> engine = engine_of(c, transitions);
  engine->initialise({}, 100);
  WarmupPhase phase;
  phase.transitions = transitions;
  phase.update_metric = true;
  phase.leapfrog_limit = 10;
  const AdaptationPlan plan{.warmup = transitions, .max_leapfrogs = 10, .trajectory = true};
  for (int g = 0; g < engine->groups(); ++g) {
    GroupTuning tuning{.step_size = 0.3, .trajectory = 1, .leapfrog_limit = 10};
    engine->adapter()->begin(phase, plan, g, tuning);
    engine->set_tuning(g, tuning);
  }
  engine->send_adaptation();
  Block block;
  block.count = transitions;
  const std::size_t before = ptx::counts().launches;
  engine->advance(block, 1);
  WarmedUp result{{}, {}, ptx::counts().launches - before};
  result.positions = engine->points(c.chains).positions;
  for (int g = 0; g < engine->groups(); ++g)
    for (const double value : {engine->tuning(g).step_size, engine->tuning(g).trajectory})
      result.tuning.push_back(value);
  return result;
}

constexpr Case cases[] = {{"windowed", 1, 77, 1}, {"windowed", 100, 1000, 1}, {"windowed", 10, 1024, 4},
                          {"chees", 1, 300, 1},   {"chees", 10, 1000, 1},     {"snaper", 10, 1024, 2},
                          {"snaper", 100, 300, 1}};

// The transition, and one kernel for each pass over the chains: the host's share of a short transition is these. At the
// end of the block one counts evaluations.
TEST_F(CudaAdapter, launches_of_a_transition) {
  for (const Case& c : cases) {
    const std::size_t passes = std::string(c.adaptation) == "windowed" ? 1 : 2;
    EXPECT_EQ(warmed_up(c, 5).launches, 5 * (1 + passes) + 1) << c.adaptation << ", dimension " << c.dimension;
  }
}

// A kernel that is loaded later than the engine's memory is taken finds none left.
TEST_F(CudaAdapter, kernels_are_loaded_before_memory_is_taken) {
  for (const Case& c : cases) {
    ptx::unload_kernels();
    warmed_up(c, 2);
    for (const std::string& kernel : ptx::kernels_loaded_by_launches())
      for (const char* of_chains : {"advance_kernel", "initialise_kernel", "pass_kernel"})
        EXPECT_EQ(kernel.find(of_chains), std::string::npos) << c.adaptation << " launches " << kernel;
  }
}

// For each of 4 x 2048 threads: 17 of 12 GB.
TEST_F(CudaAdapter, local_memory_of_kernels_that_observe_is_left_free) {
  const Case c{"chees", 10, 1000, 1};
  EXPECT_NO_THROW(engine_of(c, 2));
  for (const char* observes : {"Lb0E", "Lb1E"}) {  // as its mangled name says
    ptx::take_local_memory(std::size_t{2} << 20, {"advance_kernel", observes});
    EXPECT_THROW(engine_of(c, 2), OutOfMemory) << observes;
  }
  ptx::take_local_memory();
  EXPECT_NO_THROW(engine_of(c, 2));
}

TEST_F(CudaAdapter, any_block_may_be_the_last) {
  for (const Case& c : cases) {
    const WarmedUp expected = warmed_up(c, 8);
    EXPECT_NE(expected.tuning[0], 0.3);
    for (const ptx::BlockOrder order : {ptx::BlockOrder::backwards, ptx::BlockOrder::scattered}) {
      ptx::set_block_order(order);
      const WarmedUp got = warmed_up(c, 8);
      ptx::set_block_order(ptx::BlockOrder::forwards);
      EXPECT_EQ(got.positions, expected.positions) << c.adaptation << ", dimension " << c.dimension;
      EXPECT_EQ(got.tuning, expected.tuning) << c.adaptation << ", dimension " << c.dimension;
    }
  }
}

}  // namespace
