#include "io/sets_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/read_file.hpp"
#include "io/crc32c.hpp"
#include "io/partial_file.hpp"
#include "io/raw_file.hpp"
#include "io/zarr_files.hpp"
#include "manychain/core/error.hpp"

namespace manychain::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view journal_magic = "manychain, answers of data sets, ";
constexpr std::string_view journal_line = "manychain, answers of data sets, format 1\n";

struct RecordHead {
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0, of_head = 0;  ///< of the record; of the two numbers before

  static RecordHead of(std::string_view record) {
    RecordHead head{record.size(), crc32c(record.data(), record.size()), 0};
    head.of_head = crc32c(&head, offsetof(RecordHead, of_head));
    return head;
  }
};

[[noreturn]] void refuse_journal(const std::string& path, const std::string& why) {
  throw BadInput(fmt::format("{}: {}", path, why));
}

}  // namespace

bool is_sets_journal(const std::string& path) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return false;
  std::string begin(journal_magic.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == journal_magic;
}

SetsRecords read_sets_journal(const std::string& path) {
  const std::string text = read_file(path);
  std::string_view rest = text;
  if (rest.substr(0, journal_magic.size()) != journal_magic) refuse_journal(path, "has no answers of data sets");
  if (rest.substr(0, journal_line.size()) != journal_line)
    refuse_journal(path, "is of another version of manychain: it cannot be read by this one");
  rest.remove_prefix(journal_line.size());
  SetsRecords found;
  for (bool facts = true;; facts = false) {
    RecordHead head;
    if (rest.size() < sizeof head) break;
    std::memcpy(&head, rest.data(), sizeof head);
    const std::string_view behind = rest.substr(sizeof head);
    if (head.of_head != crc32c(&head, offsetof(RecordHead, of_head)) || head.bytes > behind.size()) break;
    const std::string_view record = behind.substr(0, head.bytes);
    if (head.checksum != crc32c(record.data(), record.size())) break;
    if (facts) {
      const auto json = nlohmann::json::parse(record, nullptr, false);
      if (!json.is_object()) break;
      for (const auto& [name, value] : json.items())
        if (value.is_string()) found.facts[name] = value.get<std::string>();
    } else {
      found.records.emplace_back(record);
    }
    rest = behind.substr(head.bytes);
    found.bytes = text.size() - rest.size();
  }
  if (found.bytes == 0) refuse_journal(path, "is damaged at its beginning: sample again");
  return found;
}

SetsJournal::SetsJournal(const std::string& path, const StoreFacts& facts, double seconds)
    : path_(behind_links(path)), seconds_(seconds) {
  require_replaceable(path_);
  std::error_code none;
  if (fs::exists(path_, none) && fs::file_size(path_, none) > 0) {
    if (!is_sets_journal(path_))
      refuse_journal(path, "there is such a file, and it has no answers of data sets; name another");
    open_locked(older_, path_, 0);
  }
  PartialFile next(path_);
  open_locked(file_, next.begin(), O_CREAT | O_TRUNC);
  write(nlohmann::json(facts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), journal_line);
  finish();
  next.keep();
  sync_one(fs::absolute(path_).parent_path().string());
}

SetsJournal::SetsJournal(const std::string& path, double seconds, Reopened)
    : path_(behind_links(path)), seconds_(seconds) {
  open_locked(file_, path_, 0);
  struct stat mine {
  }, there{};
  if (fstat(file_.id, &mine) != 0 || stat(path_.c_str(), &there) != 0 || mine.st_ino != there.st_ino)
    refuse_journal(path, "another run writes to it");
  read_ = read_sets_journal(path_);
  if (ftruncate(file_.id, static_cast<off_t>(read_.bytes)) != 0 || lseek(file_.id, 0, SEEK_END) < 0)
    fail_to_write(path_, errno);
}

SetsJournal::File::~File() {
  if (id >= 0) close(id);
}

void SetsJournal::open_locked(File& file, const std::string& path, int flags) {
  file.id = open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0666);
  if (file.id < 0) refuse_journal(path_, fmt::format("cannot be written: {}", std::strerror(errno)));
  if (flock(file.id, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) refuse_journal(path_, "another run writes to it");
}

void SetsJournal::write(std::string_view record, std::string_view before) {
  const RecordHead head = RecordHead::of(record);
  if (const int error =
          write_all(file_.id, {{before.data(), before.size()}, {&head, sizeof head}, {record.data(), record.size()}})) {
    // The next run goes on behind what is whole, whether or not this can be taken away.
    if (ftruncate(file_.id, static_cast<off_t>(read_.bytes)) == 0) lseek(file_.id, 0, SEEK_END);
    fail_to_write(path_, error);
  }
  read_.bytes += before.size() + sizeof head + record.size();
}

void SetsJournal::add(std::string_view record) {
  write(record);
  if (std::chrono::duration<double>(Clock::now() - synced_).count() >= seconds_) finish();
}

void SetsJournal::finish() {
  if (fsync(file_.id) != 0) fail_to_write(path_, errno);
  synced_ = Clock::now();
}

}  // namespace manychain::io
