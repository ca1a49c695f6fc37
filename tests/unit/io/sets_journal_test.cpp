// The file that keeps the answers of data sets, whatever was killed or has damaged it.
#include "io/sets_journal.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "core/read_file.hpp"
#include "limits.hpp"
#include "manychain/core/error.hpp"

namespace {

using namespace manychain;
using io::SetsJournal;
namespace fs = std::filesystem;

class SetsJournalTest : public testing::Test {
 protected:
  ~SetsJournalTest() override { fs::remove(path_); }
  void begin(const std::vector<std::string>& records) {
    SetsJournal journal(path_, facts_, 0);
    for (const std::string& record : records) journal.add(record);
  }
  void put(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  void expect_refused(const std::string& words, const auto& work) {
    try {
      work();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }

  const std::string path_ = testing::TempDir() + "manychain_journal_" + std::to_string(getpid());
  const io::StoreFacts facts_{{"model", "normal"}, {"data", "a\nb"}};
  const std::vector<std::string> records_{"one", "", std::string(5000, 'x'), "four"};
};

TEST_F(SetsJournalTest, has_the_records_in_their_order) {
  begin(records_);
  const io::SetsRecords read = io::read_sets_journal(path_);
  EXPECT_EQ(read.facts, facts_);
  EXPECT_EQ(read.records, records_);
  EXPECT_EQ(read.bytes, fs::file_size(path_));
  EXPECT_TRUE(io::is_sets_journal(path_));
  begin({});  // anew
  EXPECT_EQ(io::read_sets_journal(path_).records, std::vector<std::string>());
}

// A process that is killed in the middle of a record, wherever that is.
TEST_F(SetsJournalTest, goes_on_behind_the_last_whole_record) {
  begin(records_);
  const std::string whole = read_file(path_);
  begin({records_[0], records_[1], records_[2]});
  for (std::size_t size = fs::file_size(path_); size < whole.size(); ++size) {
    put(whole.substr(0, size));
    SetsJournal journal(path_, 1e9, SetsJournal::Reopened{});
    ASSERT_EQ(journal.take_records().size(), 3u) << size;
    journal.add("four");
    ASSERT_TRUE(read_file(path_) == whole) << size;
  }
}

// 200 damaged files: a prefix of the records, or a sentence.
TEST_F(SetsJournalTest, damage_costs_no_more_than_the_records_from_there_on) {
  begin(records_);
  const std::string whole = read_file(path_);
  std::mt19937 random(7);
  std::size_t prefixes = 0, refused = 0;
  for (int k = 0; k < 200; ++k) {
    std::string other = whole;
    const std::size_t at = random() % (k % 2 ? other.size() : 200);
    other[at] = static_cast<char>(other[at] ^ (1 << random() % 8));
    if (k % 5 == 0) other.resize(random() % other.size());
    put(other);
    try {
      const io::SetsRecords read = io::read_sets_journal(path_);
      ASSERT_LT(read.records.size(), records_.size()) << at;
      ASSERT_TRUE(std::equal(read.records.begin(), read.records.end(), records_.begin())) << at;
      ASSERT_EQ(read.facts, facts_) << at;
      ++prefixes;
    } catch (const BadInput&) {
      ++refused;
    }
  }
  EXPECT_GT(prefixes, 20u);
  EXPECT_GT(refused, 20u);
}

TEST_F(SetsJournalTest, has_one_writer) {
  SetsJournal first(path_, facts_, 0);
  first.add("one");
  expect_refused("another run writes to it", [&] { SetsJournal(path_, 0, SetsJournal::Reopened{}); });
  expect_refused("another run writes to it", [&] { SetsJournal(path_, facts_, 0); });
  EXPECT_EQ(io::read_sets_journal(path_).records.size(), 1u);
}

TEST_F(SetsJournalTest, spares_other_files) {
  put("a letter");
  expect_refused("name another", [&] { SetsJournal(path_, facts_, 0); });
  expect_refused("has no answers of data sets", [&] { io::read_sets_journal(path_); });
  EXPECT_EQ(read_file(path_), "a letter");
  put("manychain, answers of data sets, format 99\nwords");
  expect_refused("another version", [&] { io::read_sets_journal(path_); });
  fs::remove(path_);
  EXPECT_THROW(SetsJournal(path_, 0, SetsJournal::Reopened{}), BadInput);
  EXPECT_FALSE(fs::exists(path_));
}

// A record that finds no room leaves those before it, and what comes later finds its place.
TEST_F(SetsJournalTest, a_full_disk_costs_one_record) {
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  {
    SetsJournal journal(path_, facts_, 0);
    journal.add("one");
    const Limited limit(RLIMIT_FSIZE, fs::file_size(path_) + 100);
    EXPECT_THROW(journal.add(std::string(5000, 'x')), Error);
    journal.add("two");
  }
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(io::read_sets_journal(path_).records, (std::vector<std::string>{"one", "two"}));
}

}  // namespace
