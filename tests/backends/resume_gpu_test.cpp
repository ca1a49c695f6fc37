// Runs on a CUDA device that die, in warm-up and behind it, and go on; and runs in parts.
#include "backends/gpu.hpp"
#include "manychain/run/model.hpp"
#include "unit/run/memory_store.hpp"

namespace {

using namespace manychain;
using ResumeOnGpu = GpuTest;

Settings usual() {
  Settings s;
  s.backend = Backend::cuda;
  s.chains = 100;
  s.superchains = 0;
  s.warmup.transitions = 60;
  s.sampling.draws = 10;
  s.seed = 8;
  return s;
}

TEST_F(ResumeOnGpu, where_it_died) {
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    Settings s = usual();
    s.precision = precision;
    const Model model = builtin_model("normal");
    MemoryStore unbroken(4), broken(4);
    const Result whole = sample(model, s, unbroken, {1e9});
    EXPECT_EQ(whole.backend, "cuda");
    s.blocks_per_second = 1000000000;
    int resumes = 0;
    expect_same_run(run_that_dies(model, s, 12, 0, broken, &resumes), whole);
    expect_same_state(broken.run.state, unbroken.run.state);
    EXPECT_GE(resumes, 3);
  }
}

// An adaptation that observes proposals has numbers of its own for each chain and group.
TEST_F(ResumeOnGpu, in_the_warm_up_of_chees) {
  Settings s = usual();
  s.precision = Precision::single_precision;
  s.warmup.adaptation = "chees";
  const Model model = builtin_model("normal");
  MemoryStore unbroken(4), broken(4);
  const Result whole = sample(model, s, unbroken, {1e9});
  s.blocks_per_second = 1000000000;
  expect_same_run(run_that_dies(model, s, 12, 0, broken), whole);
}

TEST_F(ResumeOnGpu, in_parts) {
  const Model model = builtin_model("normal");
  MemoryStore warm(4), together(4);
  sample(model, usual(), warm, {.warmup_only = true});
  const Result whole = sample(model, usual());
  expect_same_run(merge(model, parts_of(model, warm.run, {3}), {}, together), whole);
}

// The store has most draws: those of a moment are on the device, the others come back to it, some outputs at a time,
// for their summary. Once draws go to the host while chains go on, and once they do not.
TEST_F(ResumeOnGpu, with_draws_in_the_store_alone) {
  const Model model = builtin_model("normal");
  for (const auto& [chains, draws, memory] : {std::tuple(100, 30, 1.0), std::tuple(1024, 160, 9e6)}) {
    Settings s = usual();
    s.chains = static_cast<std::size_t>(chains);
    s.sampling.draws = static_cast<std::size_t>(draws);
    s.precision = Precision::single_precision;
    MemoryStore held(64), read_back(64), broken(64);
    read_back.readable = broken.readable = true;
    const Result whole = sample(model, s, held, {1e9});
    const Storing storing{.seconds = 1e9, .memory = memory};
    const Result result = sample(model, s, read_back, storing);
    EXPECT_TRUE(result.output.draws_in_store);
    expect_same_run(with_draws(result, read_back), whole);
    if (chains == 100) expect_same_run(with_draws(run_that_dies(model, s, 5, storing, broken), broken), whole);
  }
}

}  // namespace
