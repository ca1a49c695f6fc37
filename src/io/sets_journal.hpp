// The answers of data sets in one file, in the order in which they came: what a run that is killed has had stays.
//
// A line that says what it is, then records: the number of bytes and their crc32c, then the bytes. The first one is the
// facts of the run as JSON, the others are of its caller. Whoever is killed leaves whole records, and a piece of one
// that nobody reads.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/kept_run.hpp"

namespace manychain::io {

/// True if such a file is there, of whatever version, whole or not.
bool is_sets_journal(const std::string& path);

/// The records of a journal until the first that is not whole.
struct SetsRecords {
  StoreFacts facts;
  std::vector<std::string> records;
  std::uint64_t bytes = 0;  ///< of the file, until there
};
/// Throws BadInput, with the file, if it is none, or of another version, or has no facts.
SetsRecords read_sets_journal(const std::string& path);

/// One process writes at a time.
class SetsJournal {
 public:
  /// Throws BadInput unless it can be put at `path`: new, or in place of an older one or of an empty file.
  SetsJournal(const std::string& path, const StoreFacts& facts, double seconds);
  struct Reopened {};
  /// Goes on behind the records that are whole, which it reads. Throws BadInput if it cannot, or if another run writes
  /// to it.
  SetsJournal(const std::string& path, double seconds, Reopened);

  const StoreFacts& facts() const { return read_.facts; }  ///< that were read
  std::vector<std::string> take_records() { return std::exchange(read_.records, {}); }
  /// The record outlasts this process once it returns, and a crash of the machine after `seconds`, or finish(). Throws
  /// NoRoom or Error: what was whole stays.
  void add(std::string_view record);
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  struct File {
    File() = default;
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File();
    int id = -1;
  };
  void open_locked(File& file, const std::string& path, int flags);
  void write(std::string_view record, std::string_view before = {});

  std::string path_;
  double seconds_;
  File older_, file_;
  SetsRecords read_;
  Clock::time_point synced_ = Clock::now();
};

}  // namespace manychain::io
