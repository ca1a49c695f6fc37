// Sampling on a device, call by call: draws come to the host beside the chains, and a block ends with one short copy.
#include <cstddef>
#include <memory>
#include <vector>

#include "backends/gpu.hpp"
#include "manychain/chain/adapter.hpp"
#include "manychain/core/sample_stats.hpp"
#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "runtime/counts.hpp"
#include "runtime/streams.hpp"

namespace {

using namespace manychain;
using DrawCopies = GpuTest;

constexpr std::size_t dimension = 100, planned = 60;

Settings settings_of(std::size_t chains) {
  Settings s;
  s.backend = Backend::cuda;
  s.precision = Precision::double_precision;
  s.chains = chains;
  s.warmup.transitions = 0;
  s.sampling.draws = planned;
  s.superchains = 0;
  s.seed = 3;
  return s;
}

std::unique_ptr<Engine> engine_of(const Settings& settings) {
  Data data;
  data.set("D", static_cast<int>(dimension));
  const Model model = builtin_model("normal", data);
  std::unique_ptr<Engine> engine =
      settings.backend == Backend::cpu ? make_cpu_engine(model, settings) : make_cuda_engine(model, settings);
  engine->initialise({}, 100);
  engine->set_tuning(0, {.step_size = 0.4, .trajectory = 0.5, .leapfrog_limit = 10});
  return engine;
}

Block block_of(std::uint64_t first, std::uint32_t count, std::uint64_t thin = 1) {
  Block block;
  block.first_transition = first;
  block.count = count;
  block.keep = true;
  block.thin = thin;
  return block;
}

/// The numbers that the engine gives away at the end are those that lie on the device.
void expect_what_is_there(Engine& engine, std::size_t draws) {
  const Draws lying = engine.draws(0, draws), stats = engine.sample_stats(0, draws);
  ASSERT_EQ(lying.float64.size(), draws * dimension * lying.chains);
  EXPECT_NE(lying.float64.front(), lying.float64.back());
  EXPECT_EQ(engine.take_draws(draws).float64, lying.float64);
  EXPECT_EQ(engine.take_sample_stats(draws).float64, stats.float64);
}

TEST_F(DrawCopies, run_beside_the_kernels) {
  for (const std::size_t chains : {512, 500}) {  // as they lie, and without left-over lanes
    const std::unique_ptr<Engine> engine = engine_of(settings_of(chains));
    const std::size_t copies_before = ptx::streams::copies().size();
    const ptx::Counts before = ptx::counts();
    engine->advance(block_of(0, planned), 0);
    const ptx::Counts block = ptx::counts() - before;
    // Each kernel makes the draws that 4 MB hold, and the last one counts evaluations.
    const std::size_t at_once = (std::size_t{4} << 20) / sizeof(double) / chains / (dimension + sample_stat_count);
    const std::size_t parts = (planned + at_once - 1) / at_once;
    EXPECT_EQ(block.launches, parts + 1);
    EXPECT_EQ(block.copies_to_host, 1u);
    EXPECT_EQ(block.waits, 0u);

    std::vector<ptx::streams::Copy> copies(ptx::streams::copies().begin() + static_cast<std::ptrdiff_t>(copies_before),
                                           ptx::streams::copies().end());
    ASSERT_EQ(copies.size(), 2 * parts);  // draws, and what was recorded beside them
    for (std::size_t k = 0; k < copies.size(); ++k) {
      EXPECT_EQ(copies[k].after_launches, before.launches + k / 2 + 1) << "it waits for its own kernel";
      EXPECT_EQ(copies[k].launches_asked, before.launches + k / 2 + 1) << "and is asked for at once";
      if (k / 2 + 1 < parts) {
        EXPECT_EQ(copies[k].launches_awaited, before.launches + k / 2 + 2) << "the next kernel has been started before";
      } else {
        EXPECT_EQ(copies[k].launches_awaited, 0u) << "nothing waits for the last ones but the next block";
      }
    }
    expect_what_is_there(*engine, planned);
    EXPECT_EQ((ptx::counts() - before).copies_beside, copies.size());
  }
}

TEST_F(DrawCopies, of_blocks_of_any_length) {
  constexpr std::uint64_t thin = 3;
  const std::unique_ptr<Engine> engine = engine_of(settings_of(500));
  std::uint64_t done = 0;
  for (const std::uint32_t count : {1u, 1u, 2u, 7u, 80u, 3u, 40u, 1u}) {
    engine->advance(block_of(done, count, thin), 0);
    done += count;
  }
  ASSERT_EQ(done / thin, 45u);
  expect_what_is_there(*engine, 45);
}

TEST_F(DrawCopies, of_fewer_draws_than_were_made) {
  const std::unique_ptr<Engine> engine = engine_of(settings_of(500));
  engine->advance(block_of(0, planned), 0);
  expect_what_is_there(*engine, 33);
}

TEST_F(DrawCopies, of_draws_that_are_made_anew) {
  const std::unique_ptr<Engine> engine = engine_of(settings_of(500));
  const Snapshot start = engine->snapshot();
  engine->advance(block_of(0, planned), 0);
  const Draws first = engine->draws(0, 1);
  engine->restore(start);
  engine->set_tuning(0, {.step_size = 0.3, .trajectory = 0.5, .leapfrog_limit = 10});
  engine->advance(block_of(0, 20), 0);
  EXPECT_NE(engine->draws(0, 1).float64, first.float64);
  engine->advance(block_of(20, planned - 20), 0);
  expect_what_is_there(*engine, planned);
}

TEST_F(DrawCopies, without_memory_to_pin) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{5} << 20}) {  // nothing, and enough for one buffer alone
    ptx::limit_pinned_memory(bytes);
    const ptx::Counts before = ptx::counts();
    const std::unique_ptr<Engine> engine = engine_of(settings_of(500));
    engine->advance(block_of(0, planned), 0);
    expect_what_is_there(*engine, planned);
    EXPECT_EQ((ptx::counts() - before).copies_beside, 0u);
    ptx::limit_pinned_memory();
  }
}

TEST_F(DrawCopies, of_few_draws_at_the_end) {
  Settings settings = settings_of(64);
  const ptx::Counts before = ptx::counts();
  const std::unique_ptr<Engine> engine = engine_of(settings);
  engine->advance(block_of(0, planned), 0);
  expect_what_is_there(*engine, planned);
  EXPECT_EQ((ptx::counts() - before).copies_beside, 0u);
  EXPECT_EQ((ptx::counts() - before).pinned_bytes, 0u);
}

TEST_F(DrawCopies, give_their_memory_back) {
  const ptx::Counts before = ptx::counts();
  {
    const std::unique_ptr<Engine> engine = engine_of(settings_of(500));
    engine->advance(block_of(0, planned), 0);  // copies are left when the engine goes
    EXPECT_GT((ptx::counts() - before).pinned_bytes, std::size_t{7} << 20);
    EXPECT_LE((ptx::counts() - before).pinned_bytes, std::size_t{8} << 20);
  }
  EXPECT_EQ((ptx::counts() - before).pinned_bytes, 0u);
}

// A whole run, beside one whose draws are read at the end.
TEST_F(DrawCopies, change_no_draw_of_a_run) {
  Data data;
  data.set("D", 1);
  Settings settings = settings_of(1500);
  settings.warmup.transitions = 20;
  settings.sampling.draws = 100;
  settings.sampling.step_size = 0.4;
  settings.sampling.trajectory = 0.8;
  const ptx::Counts before = ptx::counts();
  const Result beside = sample(builtin_model("normal", data), settings);
  EXPECT_GE((ptx::counts() - before).copies_beside, 4u);
  ptx::limit_pinned_memory(0);
  const Result at_the_end = sample(builtin_model("normal", data), settings);
  ptx::limit_pinned_memory();
  EXPECT_EQ(beside.draws.float64, at_the_end.draws.float64);
  EXPECT_EQ(beside.sample_stats.float64, at_the_end.sample_stats.float64);
  EXPECT_EQ(beside.gradients, at_the_end.gradients);
}

// Evaluations are summed up where they are counted: eight bytes for any number of chains, and no wait beside.
TEST_F(DrawCopies, a_block_ends_with_one_copy_of_eight_bytes) {
  Settings settings = settings_of(77);
  const std::unique_ptr<Engine> gpu = engine_of(settings);
  settings.backend = Backend::cpu;
  const std::unique_ptr<Engine> cpu = engine_of(settings);
  Block block;
  for (const std::uint32_t count : {1u, 12u, 5u}) {
    block.count = count;
    const ptx::Counts before = ptx::counts();
    const std::uint64_t evaluations = gpu->advance(block, 0);
    const ptx::Counts calls = ptx::counts() - before;
    EXPECT_EQ(evaluations, cpu->advance(block, 0)) << "left-over lanes are not counted";
    EXPECT_GE(evaluations, 77u * count);
    EXPECT_EQ(calls.copies_to_host, 1u);
    EXPECT_EQ(calls.bytes_to_host, 8u);
    EXPECT_EQ(calls.waits, 0u);
    EXPECT_EQ(calls.launches, 2u);
    block.first_transition += count;
  }
}

}  // namespace
