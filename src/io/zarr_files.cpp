#include "io/zarr_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>
#include <thread>

#include "io/partial_file.hpp"
#include "io/zarr_store.hpp"
#include "manychain/core/error.hpp"

namespace manychain::io {
namespace {

namespace fs = std::filesystem;

/// Side by side: a file system writes down many at the cost of one, and each waits for the disk. Returns the number of
/// an error, or 0.
int sync_all(const std::vector<std::string>& places) {
  constexpr std::size_t most_threads = 8;
  std::atomic<std::size_t> next{0};
  std::atomic<int> failed{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < places.size(); i = next++)
      if (const int error = sync_one(places[i])) failed = error;
  };
  std::vector<std::thread> threads;
  try {
    while (threads.size() + 1 < std::min(places.size(), most_threads)) threads.emplace_back(work);
  } catch (const std::system_error&) {
    // The threads that there are do it, this one among them.
  }
  work();
  for (std::thread& thread : threads) thread.join();
  return failed;
}

}  // namespace

void fail_to_write(const std::string& path, int error) {
  const std::string sentence = fmt::format("{}: cannot be written: {}", path, std::strerror(error));
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    throw NoRoom(fmt::format("{}; keep fewer draws, or write to another folder", sentence));
  throw Error(sentence);
}

FilesTogether::~FilesTogether() {
  for (std::size_t i = published_; i < names_.size(); ++i) unlink(begun(place(names_[i])).c_str());
}

void FilesTogether::write(const std::string& name, const std::vector<Piece>& pieces) const {
  if (const int error = write_new_file(begun(place(name)), pieces, synced_)) fail_to_write(path_, error);
}

void FilesTogether::publish() {
  const auto sync = [&](const std::vector<std::string>& places) {
    if (const int error = synced_ ? sync_all(places) : 0) fail_to_write(path_, error);
  };
  std::vector<std::string> places;
  for (const std::string& name : names_) places.push_back(begun(place(name)));
  sync(places);
  std::set<std::string> folders;
  const auto sync_folders = [&] {
    sync({folders.begin(), folders.end()});
    folders.clear();
  };
  for (; published_ < names_.size(); ++published_) {
    if (std::find(barriers_.begin(), barriers_.end(), published_) != barriers_.end()) sync_folders();
    const std::string at = place(names_[published_]);
    if (rename(begun(at).c_str(), at.c_str()) != 0) fail_to_write(path_, errno);
    folders.insert(fs::path(at).parent_path().string());
  }
  sync_folders();
}

StoreLock::StoreLock(const std::string& path, const std::string& folder, Held held) {
  const std::string file = folder + "/" + store_lock_name;
  id_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (id_ < 0) throw BadInput(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  if (flock(id_, (held == Held::alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(id_);
    throw BadInput(path + ": another run writes to it");
  }
  // Between the two calls the store may have been replaced by another.
  struct stat mine {
  }, there{};
  if (fstat(id_, &mine) != 0 || stat(file.c_str(), &there) != 0 || mine.st_ino != there.st_ino) {
    close(id_);
    throw BadInput(path + ": another run writes to it");
  }
}

void StoreLock::hold_together(const std::string& path) {
  if (flock(id_, LOCK_SH | LOCK_NB) != 0) throw BadInput(path + ": another run writes to it");
}

StoreLock::~StoreLock() {
  if (id_ >= 0) close(id_);
}

}  // namespace manychain::io
