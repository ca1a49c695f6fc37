// The cache of compiled models: what is damaged in it is not found, and what takes its place is.
#include "own_model/cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "core/digest.hpp"

namespace manychain::own_model {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

/// A number of bytes that are no pattern.
std::string some_bytes(std::size_t size, std::uint32_t seed = 0x12345678) {
  std::string bytes;
  for (std::uint32_t x = seed; bytes.size() < size; x = x * 1664525 + 1013904223) bytes += static_cast<char>(x >> 24);
  return bytes;
}

class CacheTest : public testing::Test {
 protected:
  CacheTest() {
    std::string name = testing::TempDir() + "cache.XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~CacheTest() override { fs::remove_all(folder_); }

  std::string keep(const std::string& text, const std::string& name) {
    Cache cache(folder_);
    write(cache.workshop() / "made", text);
    return cache.keep(cache.workshop() / "made", name);
  }
  std::string find(const std::string& name) const { return Cache(folder_).find(name); }
  std::vector<fs::path> files() const { return {fs::directory_iterator(folder_), fs::directory_iterator()}; }

  std::string folder_;
  const std::string key_ = digest_of("a unit"), object_ = key_ + ".o";
};

TEST_F(CacheTest, FindsWhatWasKept) {
  EXPECT_EQ(find(key_), "");
  const std::string program = some_bytes(100'003), object = some_bytes(33, 2);
  const std::string program_at = keep(program, key_), object_at = keep(object, object_);
  EXPECT_EQ(find(key_), program_at);
  EXPECT_EQ(find(object_), object_at);
  EXPECT_EQ(contents(program_at), program);
  EXPECT_EQ(contents(object_at), object);
  EXPECT_EQ(fs::path(object_at).extension(), ".o");  // by which a compiler knows what to do with it
  EXPECT_EQ(find(digest_of("another unit")), "");
}

TEST_F(CacheTest, NothingDamagedIsFoundAndWhatIsMadeAgainIs) {
  // A chunk of the digest's reads and some more; a short one; one that ends in the middle of a word.
  for (const std::size_t size : {65536 + 40, 16, 1}) {
    const std::string whole = some_bytes(size);
    std::vector<std::string> damaged = {"", whole.substr(0, size - 1), whole.substr(0, size / 2), whole + '\0',
                                        std::string(size, '\0')};
    for (const std::size_t at : {std::size_t(0), size / 2, size - 1})
      for (const int bit : {0, 7}) {
        damaged.push_back(whole);
        damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ (1 << bit));
      }
    if (size > 64) {  // two flips of a bit that FNV-1a alone would carry nowhere, and two words in each other's place
      damaged.push_back(whole);
      for (const std::size_t at : {15, 31}) damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ 0x80);
      damaged.push_back(whole.substr(16, 16) + whole.substr(0, 16) + whole.substr(32));
    }
    const std::string key = digest_of(std::to_string(size));
    for (const std::string& name : {key, key + ".o"}) {
      const std::string path = keep(whole, name);
      for (const std::string& text : damaged) {
        write(path, text);
        EXPECT_EQ(find(name), "") << size << " bytes damaged to " << text.size();
        EXPECT_EQ(keep(whole, name), path);
        EXPECT_EQ(find(name), path);
      }
    }
  }
}

TEST_F(CacheTest, AFileThatCannotBeReadIsNone) {
  const std::string path = keep("text", key_);
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_EQ(find(key_), "");
}

TEST_F(CacheTest, FilesOfAnotherNameAreNotTaken) {
  const std::string path = keep("text", key_);
  const std::string other = (fs::path(folder_) / key_).string();
  fs::rename(path, other);  // as caches had it before there were digests
  EXPECT_EQ(find(key_), "");
  fs::rename(other, other + "-4-" + digest_of("other"));
  EXPECT_EQ(find(key_), "");
  fs::rename(other + "-4-" + digest_of("other"), other + "-5-" + digest_of("text"));
  EXPECT_EQ(find(key_), "");
}

// Writers whose files differ, as objects of some compilers do, and readers meanwhile: whatever is found is whole.
TEST_F(CacheTest, WritersOfOneKeyAndReaders) {
  std::atomic<bool> done = false;
  std::atomic<int> found = 0;
  const auto text_of = [](int writer) { return some_bytes(20'000, static_cast<std::uint32_t>(writer + 1)); };
  std::set<std::string> all;
  for (int i = 0; i < 4; ++i) all.insert(text_of(i));
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      while (!done) {
        const std::string path = find(key_);
        if (path.empty()) continue;
        ++found;
        EXPECT_EQ(all.count(contents(path)), 1u);
      }
    });
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i)
    writers.emplace_back([&, i] {
      for (int times = 0; times < 50; ++times) keep(text_of(i), key_);
    });
  for (std::thread& thread : writers) thread.join();
  EXPECT_NE(find(key_), "");
  while (found == 0) std::this_thread::yield();
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(files().size(), 4u);
}

TEST_F(CacheTest, PrunesWhatWasNotUsedForTheLongestTimeAndNothingOfOthers) {
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 5; ++i)
    fs::last_write_time(keep("text", digest_of(std::to_string(i))), now - std::chrono::hours(10 - i));
  for (const char* name : {"notes.txt", "work.txt"}) {
    write(fs::path(folder_) / name, "of somebody else");
    fs::last_write_time(fs::path(folder_) / name, now - std::chrono::hours(1000));
  }
  find(digest_of("0"));
  Cache(folder_).prune(2);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(find(digest_of(std::to_string(i))) != "", i == 0 || i == 4) << i;
  EXPECT_EQ(files().size(), 4u);
}

TEST_F(CacheTest, RemovesFoldersOfProcessesThatHaveEnded) {
  const auto made = [&](const char* name, int minutes) {
    const fs::path path = fs::path(folder_) / name;
    fs::create_directories(path / "inner");
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
    return path;
  };
  const fs::path left = made("work.left", 5), young = made("work.young", 0);
  Cache working(folder_), other(folder_);
  const fs::path held = working.workshop(), own = other.workshop();
  fs::last_write_time(held, fs::file_time_type::clock::now() - std::chrono::hours(48));
  fs::last_write_time(own, fs::file_time_type::clock::now() - std::chrono::hours(48));
  other.prune(2);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(young));
  EXPECT_TRUE(fs::exists(held));
  EXPECT_TRUE(fs::exists(own));
  const pid_t child = ::fork();
  if (child == 0) {
    Cache ended(folder_);
    fs::last_write_time(ended.workshop(), fs::file_time_type::clock::now() - std::chrono::minutes(5));
    ::_exit(0);  // without destructors, as by a signal
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const auto count = [&] {
    return std::count_if(fs::directory_iterator(folder_), fs::directory_iterator(),
                         [](const fs::directory_entry& entry) { return entry.is_directory(); });
  };
  EXPECT_EQ(count(), 4);
  other.prune(2);
  EXPECT_EQ(count(), 3);
}

TEST(DigestTest, IsOfTheBytesAndTheirNumber) {
  EXPECT_EQ(digest_of("").size(), 32u);
  std::set<std::string> all;
  for (std::size_t size = 0; size < 70; ++size) all.insert(digest_of(std::string(size, '\0')));
  EXPECT_EQ(all.size(), 70u);  // zeros fill up the last word
  const std::string path = testing::TempDir() + "digest_of_file." + std::to_string(::getpid());
  for (const std::size_t size : {0, 16, 65536, 65537, 200'000}) {
    write(path, some_bytes(size));
    EXPECT_EQ(digest_of_file(path), digest_of(some_bytes(size))) << size;
  }
  fs::remove(path);
  EXPECT_EQ(digest_of_file(path), "");
  EXPECT_EQ(digest_of_file(testing::TempDir()), "");  // a folder
}

}  // namespace
}  // namespace manychain::own_model
