// A run that is kept in one file.
#include "io/checkpoint_file.hpp"

#include <atomic>
#include <csignal>

#include "limits.hpp"
#include "manychain/manychain.hpp"
#include "zarr_store_cases.hpp"

namespace {

using namespace manychain;
namespace fs = testing_zarr::fs;

class CheckpointTest : public testing_zarr::ZarrStoreTest {
 protected:
  CheckpointTest() { path_ = folder_ + "/run.checkpoint"; }

  /// Cancelled at that transition, each block of one having been stored; goes on to its end, cancelled on the way.
  Result broken(Settings s, std::uint64_t first, std::uint64_t second) {
    std::atomic<bool> cancel{false};
    s.blocks_per_second = 1000000000;
    s.cancel = &cancel;
    s.progress = [&](const Progress& p) { cancel = p.transitions >= first; };
    const auto ended = [&](const auto& work) {
      try {
        EXPECT_TRUE(work().cancelled);
      } catch (const SamplingFailed&) {
        EXPECT_LE(first, *s.warmup.transitions);
      }
    };
    ended([&] { return sample(model_, s, Checkpoint{path_}, {.seconds = 1e-9}); });
    Resumed resumed;
    resumed.cancel = &cancel;
    resumed.threads = 1;
    resumed.progress = [&](const Progress& p) { cancel = p.transitions >= second; };
    cancel = false;
    ended([&] { return resume(model_, path_, resumed, {.seconds = 1e-9}); });
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "nothing lies beside the file";
    return resume(model_, path_);
  }
  std::string refused(const std::string& path) const {
    try {
      resume(model_, path);
    } catch (const BadInput& error) {
      return error.what();
    }
    return "";
  }

  const Model model_ = builtin_model("eight_schools");
};

void expect_same(const Result& a, const Result& b) {
  EXPECT_TRUE(a.draws.float32 == b.draws.float32);
  EXPECT_TRUE(a.draws.float64 == b.draws.float64);
  EXPECT_TRUE(a.sample_stats.float32 == b.sample_stats.float32);
  EXPECT_EQ(a.kept, b.kept);
  EXPECT_FALSE(a.cancelled);
  EXPECT_EQ(a.table(), b.table());
}

TEST_F(CheckpointTest, of_a_run_that_goes_on) {
  for (const Precision precision : {Precision::single_precision, Precision::double_precision})
    for (const bool keep : {true, false}) {
      Settings s = testing_zarr::short_run(60);
      s.precision = precision;
      s.output.keep_draws = keep;
      const Result whole = sample(model_, s);
      expect_same(broken(s, 25, 50), whole);
      expect_same(broken(s, 41, 90), whole);
      expect_same(resume(model_, path_), whole);  // it has ended
      Resumed more;
      more.more = 5;
      if (!keep) {
        EXPECT_THROW(resume(model_, path_, more), BadInput) << "its sums are laid out for 60";
        continue;
      }
      s.sampling.draws = 65;
      expect_same(resume(model_, path_, more), sample(model_, s));
    }
}

TEST_F(CheckpointTest, of_a_warmup) {
  Storing storing;
  storing.warmup_only = true;
  EXPECT_EQ(sample(model_, testing_zarr::short_run(10), Checkpoint{path_}, storing).kept, 0U);
  expect_same(resume(model_, path_), sample(model_, testing_zarr::short_run(10)));
}

TEST_F(CheckpointTest, replaces_its_own_kind_alone) {
  write(path_, "a letter");
  EXPECT_THROW(sample(model_, testing_zarr::short_run(10), Checkpoint{path_}), BadInput);
  EXPECT_EQ(text(path_), "a letter");
  EXPECT_NE(refused(path_).find("is a file, not a store"), std::string::npos);
  fs::remove(path_);
  sample(model_, testing_zarr::short_run(10), Checkpoint{path_});
  const Result other = sample(builtin_model("normal"), testing_zarr::short_run(4), Checkpoint{path_});
  EXPECT_NE(refused(path_).find("the run is of model normal"), std::string::npos);
  expect_same(resume(builtin_model("normal"), path_), other);
  EXPECT_THROW(sample(model_, testing_zarr::short_run(10), Checkpoint{folder_ + "/none/run"}), BadInput);
}

TEST_F(CheckpointTest, has_one_writer) {
  sample(model_, testing_zarr::short_run(10), Checkpoint{path_});
  const io::CheckpointFile writer(path_, io::CheckpointFile::Reopened{});
  EXPECT_NE(refused(path_).find("another run writes to it"), std::string::npos);
  EXPECT_THROW(io::CheckpointFile{path_}, BadInput);
}

TEST_F(CheckpointTest, that_is_damaged) {
  sample(model_, testing_zarr::short_run(10), Checkpoint{path_});
  const std::string whole = text(path_);
  for (std::size_t k = 0; k < 100; ++k) {
    std::string bytes = whole;
    bytes[k < 50 ? k * 4 : k * (whole.size() - 1) / 99] ^= 0x24;
    write(path_, bytes);
    EXPECT_NE(refused(path_), "") << k;
  }
  for (std::size_t k = 0; k < 20; ++k) {
    write(path_, whole.substr(0, whole.size() * k / 20));
    EXPECT_NE(refused(path_), "") << k;
  }
  write(path_, whole);
  EXPECT_EQ(refused(path_), "");
}

TEST_F(CheckpointTest, stays_as_it_was_where_a_new_one_cannot_be_written) {
  sample(model_, testing_zarr::short_run(10), Checkpoint{path_});
  const std::string whole = text(path_);
  {
    const auto before = std::signal(SIGXFSZ, SIG_IGN);
    const Limited limit(RLIMIT_FSIZE, whole.size() + 100);
    Resumed more;
    more.more = 100;
    EXPECT_THROW(resume(model_, path_, more), Error);
    std::signal(SIGXFSZ, before);
  }
  EXPECT_TRUE(text(path_) == whole);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

}  // namespace
