// Files that appear when they are whole, and what becomes of those that never were.
#include "io/partial_file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "parts_of.hpp"

namespace {

using namespace manychain;
using testing_io::parts_of;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

// Two runs that write to the same file: each has a part of its own, and the last to finish has its file there.
TEST(PartialFile, TwoWritersOfOneFile) {
  const std::string path = testing::TempDir() + "manychain_parts.nc";
  io::PartialFile first(path), second(path);
  ASSERT_NE(first.begin(), second.begin());
  std::ofstream(first.begin()) << "first";
  std::ofstream(second.begin()) << "second";
  { const io::PartialFile third(path); }
  second.keep();
  EXPECT_EQ(fs::file_size(path), 6u);
  first.keep();
  EXPECT_EQ(fs::file_size(path), 5u);
  EXPECT_EQ(parts_of(path), Names());
  fs::remove(path);
}

// Parts of killed processes go when the file is written again; those that may still be written stay.
TEST(PartialFile, PartsOfTheDeadAreRemoved) {
  const std::string path = testing::TempDir() + "manychain_dead.nc";
  std::string part;
  {
    io::PartialFile ours(path);
    part = ours.begin();
  }
  // HOME-PROCESS-NUMBER
  const std::string home = part.substr(path.size() + 1, 8), here = path + '.' + home + '-';
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  const auto write = [](const std::string& name, int hours) {
    std::ofstream(name) << "begun";
    fs::last_write_time(name, fs::file_time_type::clock::now() - std::chrono::hours(hours));
    return name;
  };
  const std::string dead = here + std::to_string(child) + "-0.partial", alive = here + std::to_string(getpid());
  const std::string elsewhere = path + (home == "00000000" ? ".00000001" : ".00000000") + "-1-0.partial";
  const std::vector<std::string> stay = {write(alive + "-999.partial", 1),
                                         write(alive + "-998.partial", 100),  // a long summary
                                         write(elsewhere, 23),
                                         write(path + ".00000000-1.partial", 100),  // no name of ours
                                         write(path + ".partial", 100),             // nor these
                                         write(path + ".0000000x-1-0.partial", 100),
                                         write(path + ".00000000-1-0.partials", 100)};
  write(dead, 0);
  write(path + ".00000002-1-0.partial", 25);
  { const io::PartialFile next(path); }
  std::vector<std::string> expected = stay;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(parts_of(path), expected);
  for (const std::string& name : stay) fs::remove(name);
}

// A part has a longer name than its file, but for those that would be too long.
TEST(PartialFile, EveryLegalNameWorks) {
  std::string accents;
  while (accents.size() < 254) accents += "\u00e9";  // of two bytes: cut between, or not
  for (const std::string& name : {std::string(238, 'a'), std::string(255, 'a'), accents, 'a' + accents}) {
    const std::string path = testing::TempDir() + name;
    io::PartialFile file(path);
    const std::string part = file.begin();
    const std::size_t end = part.rfind('.', part.size() - 9);
    EXPECT_LE(fs::path(part).filename().string().size(), 255u);
    EXPECT_EQ(part.substr(0, end), path.substr(0, end));
    EXPECT_NE(path[end] & 0xC0, 0x80) << part;
    std::ofstream(part) << "whole";
    file.keep();
    EXPECT_EQ(fs::file_size(path), 5u);

    // The next one finds what a dead process has left, and leaves a live one's.
    const std::string alive = part.substr(0, part.rfind('-')) + "-4294967295.partial";
    const std::string dead = part.substr(0, end) + ".00000002-2147483647-0.partial";
    for (const std::string& left : {alive, dead}) std::ofstream(left) << "begun";
    fs::last_write_time(dead, fs::file_time_type::clock::now() - std::chrono::hours(25));
    { const io::PartialFile next(path); }
    EXPECT_TRUE(fs::exists(alive));
    EXPECT_FALSE(fs::exists(dead));
    EXPECT_EQ(parts_of(path.substr(0, end)).size(), 2u);  // the file itself, and the live one's
    fs::remove(path);
    fs::remove(alive);
  }
}

// It is refused before the run, not when the file gets its name.
TEST(PartialFile, ALongerNameIsRefused) {
  try {
    const io::PartialFile file(testing::TempDir() + std::string(256, 'a'));
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("a: cannot be written: File name too long"), std::string::npos)
        << error.what();
  }
}

}  // namespace
