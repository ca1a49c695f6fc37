// Stores of runs from C++, by the public functions.
#include "manychain/run/stored_run.hpp"

#include "manychain/manychain.hpp"
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
