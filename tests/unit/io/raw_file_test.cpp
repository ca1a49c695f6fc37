// Bytes that are written past the cache of the system, or as other bytes are.
#include "io/raw_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/read_file.hpp"
#include "limits.hpp"
#include "manychain/diagnostics/draws.hpp"

namespace {

using namespace manychain;

DrawValues<char> bytes_to_write(std::size_t count) {
  DrawValues<char> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>(i * 2654435761u >> 13);
  return bytes;
}

class RawFile : public testing::TestWithParam<std::size_t> {
 protected:
  const std::string path_ = testing::TempDir() + "manychain_raw_" + std::to_string(getpid());
  ~RawFile() override { std::filesystem::remove(path_); }
};

// Whole blocks of a disk and others, at the beginning of a page and elsewhere, with an end of its own behind them.
TEST_P(RawFile, has_the_bytes_that_were_given) {
  const DrawValues<char> bytes = bytes_to_write(GetParam() + 1);
  const std::string end = "end";
  for (const std::size_t begin : {0, 1})
    for (const bool to_disk : {true, false}) {
      const std::string whole(bytes.data() + begin, GetParam());
      // Over a longer file, which is cut.
      ASSERT_EQ(io::write_new_file(path_, {{bytes.data(), bytes.size()}, {end.data(), 3}}, to_disk), 0);
      ASSERT_EQ(io::write_new_file(path_, {{whole.data(), 0}, {bytes.data() + begin, GetParam()}}, to_disk), 0);
      EXPECT_TRUE(read_file(path_) == whole) << begin << " " << to_disk;
      ASSERT_EQ(io::write_new_file(path_, {{bytes.data() + begin, GetParam()}, {end.data(), 3}}, to_disk), 0);
      EXPECT_TRUE(read_file(path_) == whole + end) << begin << " " << to_disk;
    }
}
INSTANTIATE_TEST_SUITE_P(Sizes, RawFile,
                         testing::Values(0, 1, 4096, io::direct_bytes - 1, io::direct_bytes, io::direct_bytes + 1,
                                         2 * io::direct_bytes + 4095, 3 * io::direct_bytes));

// Devices take no such writes: the file is opened, and written, as any other.
TEST(RawFileFaults, falls_back_where_there_is_no_way_past_the_cache) {
  const DrawValues<char> bytes = bytes_to_write(2 * io::direct_bytes);
  EXPECT_EQ(io::write_new_file("/dev/null", {{bytes.data(), bytes.size()}}, true), 0);
  EXPECT_EQ(io::write_new_file("/dev/full", {{bytes.data(), bytes.size()}}, true), ENOSPC);
  EXPECT_EQ(io::write_new_file(testing::TempDir() + "manychain_no_folder/file", {{bytes.data(), bytes.size()}}, true),
            ENOENT);
}

// A limit within a block of the disk is met behind a write that ends there.
TEST(RawFileFaults, a_limit_is_an_error_and_not_a_short_file) {
  const std::string path = testing::TempDir() + "manychain_raw_limit_" + std::to_string(getpid());
  const DrawValues<char> bytes = bytes_to_write(2 * io::direct_bytes);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  {
    const Limited limit(RLIMIT_FSIZE, io::direct_bytes + 1000);
    EXPECT_EQ(io::write_new_file(path, {{bytes.data(), bytes.size()}}, true), EFBIG);
  }
  std::signal(SIGXFSZ, before);
  std::filesystem::remove(path);
}

}  // namespace
