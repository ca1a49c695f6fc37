// Stores of runs from C++, by the public functions.
#include "manychain/run/stored_run.hpp"

#include "io/kept_run.hpp"
#include "manychain/core/sample_stats.hpp"
#include "manychain/io/zarr.hpp"
#include "manychain/manychain.hpp"
#include "sampling/background_store.hpp"
#include "sampling/stored.hpp"
#include "zarr_store_cases.hpp"

namespace {

using namespace manychain;
using testing_zarr::ZarrStoreTest;
namespace fs = testing_zarr::fs;

TEST_F(ZarrStoreTest, keeps_a_run_that_goes_on) {
  const Model model = builtin_model("normal");
  const Result whole = sample(model, testing_zarr::short_run(30));
  EXPECT_EQ(sample(model, testing_zarr::short_run(10), path_).kept, 10U);
  for (const double memory : {512e6, 1.0}) {
    Resumed more;
    more.draws = memory > 1 ? 20 : 30;
    Storing storing;
    storing.memory = memory;
    const Result result = resume(model, path_, more, storing);
    EXPECT_EQ(result.kept, *more.draws);
    EXPECT_EQ(result.output.draws_in_store, memory == 1);
  }
  const Draws read = io::read_stored_run(path_).draws;
  EXPECT_TRUE(read.float32 == whole.draws.float32);
  EXPECT_TRUE(read.float64 == whole.draws.float64);
}

TEST_F(ZarrStoreTest, ends_behind_warmup_and_goes_on) {
  const Model model = builtin_model("normal");
  Storing storing;
  storing.warmup_only = true;
  EXPECT_EQ(sample(model, testing_zarr::short_run(10), path_, storing).kept, 0U);
  EXPECT_TRUE(resume(model, path_).draws.float32 == sample(model, testing_zarr::short_run(10)).draws.float32);
}

TEST_F(ZarrStoreTest, keeps_draws_of_warmup) {
  const Model model = builtin_model("eight_schools");
  Settings with = testing_zarr::short_run(10);
  with.output.save_warmup = true;
  const Result whole = sample(model, with);
  const auto expect_warmup = [&](const std::string& path) {
    SCOPED_TRACE(path);
    const StoredRun run = io::open_stored_run(path);
    ASSERT_TRUE(run.warmup);
    const DrawsSource::Shape shape = run.warmup->shape();
    EXPECT_EQ(shape.draws, whole.warmup.transitions);
    EXPECT_TRUE(run.warmup->draws({0, shape.draws}, {0, shape.variables}).float32 == whole.warmup.draws.float32);
    EXPECT_TRUE(run.warmup->sample_stats({0, shape.draws}, {0, sample_stat_count}).float32 ==
                whole.warmup.sample_stats.float32);
  };
  ASSERT_FALSE(whole.warmup.draws.float32.empty());
  // A process that is killed behind each append of warm-up; the next one finds files that it had begun.
  struct Killed {};
  class Kills : public BackgroundStore {
   public:
    using BackgroundStore::BackgroundStore;
    void append_warmup(std::size_t first, Draws&& draws, Draws&& stats, RunState state) override {
      const bool last = first + draws.draws >= dies_at;
      BackgroundStore::append_warmup(first, std::move(draws), std::move(stats), last ? "" : std::move(state));
      flush();
      if (last) throw Killed();
    }
    std::size_t dies_at = 25;
  };
  with.blocks_per_second = 1000000000;
  {
    io::ZarrStore store(path_);
    Kills kills(store);
    EXPECT_THROW(sample(model, with, kills, {.seconds = 0}), Killed);
  }
  for (const std::size_t dies_at : {33, 1000}) {
    const std::unique_ptr<io::KeptRun> store = io::reopen_run(path_);
    Kills kills(*store);
    kills.dies_at = dies_at;
    if (dies_at == 33)
      EXPECT_THROW(resume(model, io::open_run(path_), {}, kills, {.seconds = 0}), Killed);
    else
      resume(model, io::open_run(path_), {}, kills, {.seconds = 0});
  }
  expect_warmup(path_);
  EXPECT_EQ(json("zarr.json")["attributes"]["manychain_store"]["warmup_draws"], whole.warmup.transitions);
  // The files of warm-up are those of a run that was not killed, and of one that is written at its end.
  const std::string unbroken = folder_ + "/unbroken.zarr", written = folder_ + "/written.zarr";
  with.blocks_per_second = 20;
  sample(model, with, unbroken);
  write_zarr(written, whole);
  expect_warmup(unbroken);
  for (const std::string group : {"warmup_posterior/mu/c.0.0", "warmup_posterior/theta/c.0.3.0",
                                  "warmup_sample_stats/lp/c.0.2", "warmup_sample_stats/diverging/c.0.3"}) {
    EXPECT_FALSE(text(file(group)).empty()) << group;
    EXPECT_TRUE(text(file(group)) == text(unbroken + "/" + group)) << group;
    EXPECT_TRUE(text(file(group)) == text(written + "/" + group)) << group;
  }
  // A checkpoint has no place for them.
  EXPECT_THROW(sample(model, with, Checkpoint{folder_ + "/run.state"}), BadInput);
}

TEST_F(ZarrStoreTest, of_a_run_that_has_ended_gets_log_likelihoods) {
  const Model model = builtin_model("eight_schools");
  Settings with = testing_zarr::short_run(10);
  with.output.log_likelihood = 4;
  const Result whole = sample(model, with);
  sample(model, testing_zarr::short_run(10), path_);
  EXPECT_FALSE(fs::exists(file("log_likelihood")));
  Resumed changed;
  changed.log_likelihood = 4;
  const Result result = resume(model, path_, changed);
  EXPECT_EQ(result.output.log_likelihood_draws, whole.output.log_likelihood_draws);
  EXPECT_FALSE(whole.output.log_likelihood.empty());
  EXPECT_TRUE(result.output.log_likelihood.float32 == whole.output.log_likelihood.float32);
  EXPECT_TRUE(result.output.log_likelihood.float64 == whole.output.log_likelihood.float64);
  EXPECT_TRUE(fs::exists(file("log_likelihood/y/c.0.0.0")));
}

TEST_F(ZarrStoreTest, of_a_run_wants_a_name_and_a_whole_run) {
  const Model model = builtin_model("normal");
  EXPECT_THROW(sample(model, testing_zarr::short_run(10), folder_ + "/run"), BadInput);
  EXPECT_THROW(resume(model, path_), BadInput);
  sample(model, testing_zarr::short_run(10), path_);
  Resumed part;
  part.part = RunPart{1, 2};
  EXPECT_THROW(resume(model, path_, part), BadInput);
  EXPECT_THROW(resume(builtin_model("eight_schools"), path_), BadInput);
  Settings streaming = testing_zarr::short_run(10);
  streaming.output.keep_draws = false;
  EXPECT_THROW(sample(model, streaming, path_), BadInput);
}

}  // namespace
