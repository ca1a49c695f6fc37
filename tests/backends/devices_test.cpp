// Chains that several engines hold on CUDA devices: on one device, and on as many as there are.
#include "run/devices.hpp"
#include "backends/gpu.hpp"
#include "engine/joined_engine.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/model.hpp"
#include "sampling/ranked.hpp"
#include "unit/engine/run_of_engine.hpp"
#include "unit/run/in_ranks.hpp"
#include "unit/run/memory_store.hpp"

namespace {

using namespace manychain;

Settings usual() {
  Settings s;
  s.backend = Backend::cuda;
  s.precision = Precision::single_precision;
  s.chains = 320;
  s.superchains = 16;
  s.warmup.transitions = 60;
  s.sampling.draws = 12;
  s.seed = 4;
  return s;
}

using EnginesOnADevice = GpuTest;

TEST_F(EnginesOnADevice, joined_as_one) {
  for (const bool keeps : {true, false}) {
    Settings s = usual();
    s.output.keep_draws = keeps;
    const Model model = builtin_model("normal");
    const std::string one = run_of_engine(*make_cuda_engine(model, s), s);
    for (const int parts : {2, 3}) {
      const auto joined =
          make_joined_engine(s, parts, [&](const Share& share) { return make_cuda_engine(model, s, share); });
      EXPECT_TRUE(one == run_of_engine(*joined, s)) << parts << " parts, keeps draws: " << keeps;
    }
  }
}

class DevicesOfARun : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && cuda_devices() < 2) GTEST_SKIP() << "there is one device";
  }
};

TEST_F(DevicesOfARun, change_no_draw) {
  for (const bool keeps : {true, false}) {
    Settings s = usual();
    s.output.keep_draws = keeps;
    const Model model = builtin_model("normal");
    const Result one = sample(model, s);
    for (const char* const devices : {"0", "1", "0,1", "all"}) {
      s.devices = devices;
      const Result several = sample(model, s);
      EXPECT_EQ(several.backend, "cuda");
      EXPECT_EQ(one.warmup.tuning[0].step_size, several.warmup.tuning[0].step_size) << devices;
      EXPECT_EQ(one.warmup.tuning[0].inverse_metric, several.warmup.tuning[0].inverse_metric) << devices;
      EXPECT_EQ(one.gradients, several.gradients) << devices;
      EXPECT_TRUE(one.draws.float32 == several.draws.float32) << devices;
      EXPECT_TRUE(one.sample_stats.float32 == several.sample_stats.float32) << devices;
      for (std::size_t i = 0; i < one.summary.size(); ++i) {
        EXPECT_EQ(one.summary[i].statistics.mean, several.summary[i].statistics.mean) << devices;
        EXPECT_EQ(one.summary[i].statistics.ess_bulk, several.summary[i].statistics.ess_bulk) << devices;
      }
    }
    s.devices = "1,0";
    const std::string named = sample(model, s).device;
    EXPECT_NE(named.find(", device 1+0"), std::string::npos) << named;
  }
}

TEST_F(DevicesOfARun, are_no_matter_to_a_run_that_dies_and_goes_on) {
  Settings s = usual();
  s.superchains = 0;
  s.output.save_warmup = true;
  const Model model = builtin_model("normal");
  MemoryStore unbroken(4), broken(4);
  const Result whole = sample(model, s, unbroken, {1e9});
  s.devices = "0,1";
  s.blocks_per_second = 1000000000;
  int resumes = 0;
  expect_same_run(run_that_dies(model, s, 12, 0, broken, &resumes), whole);
  EXPECT_GE(resumes, 3);
  expect_same_draws(broken.warmup, unbroken.warmup);
  expect_same_draws(broken.warmup_stats, unbroken.warmup_stats);
  EXPECT_EQ(broken.warmup.draws, 60u);
}

TEST_F(DevicesOfARun, are_dealt_to_ranks) {
  const Model model = builtin_model("normal");
  const Result one = sample(model, usual());
  std::string devices[3];
  in_ranks(3, [&](Ranks& ranks) {
    Settings mine = usual();
    mine.devices = "1,0";
    mine.device = device_of_rank(mine, ranks.rank(), cuda_devices());
    mine.devices.clear();
    const Result result = sample_in_ranks(model, mine, ranks);
    devices[ranks.rank()] = result.device;
    EXPECT_TRUE(one.draws.float32 == result.draws.float32) << ranks.rank();
  });
  for (const int rank : {0, 1, 2})
    EXPECT_NE(devices[rank].find(rank == 1 ? ", device 0" : ", device 1"), std::string::npos) << devices[rank];
}

TEST_F(DevicesOfARun, must_be_there) {
  Settings s = usual();
  s.devices = "0,99";
  EXPECT_THROW(sample(builtin_model("normal"), s), BadInput);
  s.chains = 1;
  s.superchains = 0;
  s.devices = "0,1";
  EXPECT_THROW(sample(builtin_model("normal"), s), BadInput);
}

}  // namespace
