#include "own_model/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/digest.hpp"
#include "manychain/core/error.hpp"

namespace manychain::own_model {

namespace fs = std::filesystem;

namespace {

constexpr const char* workshop_prefix = "work.";

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path usual_folder() {
  if (const std::string own = environment("MANYCHAIN_CACHE"); !own.empty()) return own;
  if (const std::string all = environment("XDG_CACHE_HOME"); !all.empty()) return fs::path(all) / "manychain";
  if (const std::string home = environment("HOME"); !home.empty()) return fs::path(home) / ".cache" / "manychain";
  return {};
}

/// A new folder PREFIXxxxxxx; empty, with errno, if none can be made.
fs::path new_folder(const fs::path& prefix) {
  std::string name = prefix.string() + "XXXXXX";
  return ::mkdtemp(name.data()) == nullptr ? fs::path() : fs::path(name);
}

/// Locks the folder for this process, until the file is closed or the process ends. -1: it cannot be locked, or
/// another process has done it, which `held` tells.
int locked(const fs::path& folder, bool& held) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return -1;
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  held = errno == EWOULDBLOCK;
  ::close(file);
  return -1;
}

/// Entries of a folder whose names begin with `prefix`. Others may put files there, and remove them, meanwhile.
struct Entry {
  fs::file_time_type used;
  fs::path path;
  bool folder;
};
std::vector<Entry> entries(const fs::path& folder, const std::string& prefix) {
  std::vector<Entry> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().rfind(prefix, 0) != 0) continue;
    std::error_code gone;
    const Entry entry{at->last_write_time(gone), at->path(), at->is_directory(gone)};
    if (!gone) found.push_back(entry);
  }
  return found;
}

/// True of files of the cache: the folder may hold others, which stay.
bool is_ours(const Entry& entry) {
  const std::string name = entry.path.filename().string();
  return !entry.folder && std::min(name.find_first_not_of("0123456789abcdef"), name.size()) == digest_of("").size();
}

/// "KEY-" of "KEY.o", with which all names begin that it has.
std::string beginning(const fs::path& name) { return name.stem().string() + "-"; }

/// The name under which a file is kept as `name`; empty if it cannot be read.
std::string whole_name(const fs::path& file, const fs::path& name) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  const std::string digest = error ? "" : digest_of_file(file);
  return digest.empty() ? "" : fmt::format("{}{}-{}{}", beginning(name), size, digest, name.extension().string());
}

}  // namespace

Cache::Cache(std::string folder) : folder_(folder.empty() ? usual_folder() : fs::path(std::move(folder))) {
  std::error_code error;
  if (!folder_.empty()) folder_ = fs::absolute(folder_, error);
  if (!folder_.empty()) fs::create_directories(folder_, error);
  if (folder_.empty() || error || !fs::is_directory(folder_, error) || ::access(folder_.c_str(), W_OK | X_OK) != 0) {
    // The models there can still be read.
    temporary_ = true;
    complaint_ =
        folder_.empty()
            ? "there is no folder to keep compiled models in: set MANYCHAIN_CACHE"
            : fmt::format("{}: compiled models cannot be kept there; CompileSettings::cache names another folder",
                          folder_.string());
  }
}

Cache::~Cache() { clear(); }

void Cache::clear() {
  std::error_code ignored;
  if (!workshop_.empty()) fs::remove_all(workshop_, ignored);
  workshop_.clear();
  if (lock_ >= 0) ::close(lock_);
  lock_ = -1;
}

// A damaged file is left where it is: to remove it might remove a whole one that has just taken its place.
std::string Cache::find(const std::string& name) const {
  if (folder_.empty()) return "";
  std::vector<Entry> found = entries(folder_, beginning(name));
  std::sort(found.begin(), found.end(), [](const Entry& a, const Entry& b) { return a.used > b.used; });
  for (const Entry& entry : found) {
    std::error_code error;
    // The size first: what was cut short need not be read.
    const std::string begins = fmt::format("{}{}-", beginning(name), fs::file_size(entry.path, error));
    if (error || entry.path.filename().string().rfind(begins, 0) != 0) continue;
    if (entry.path.filename() != whole_name(entry.path, name)) continue;
    fs::last_write_time(entry.path, fs::file_time_type::clock::now(), error);
    return entry.path.string();
  }
  return "";
}

const fs::path& Cache::workshop() {
  if (!workshop_.empty()) return workshop_;
  if (!temporary_) workshop_ = new_folder(folder_ / workshop_prefix);
  if (workshop_.empty()) {
    std::error_code error;
    const fs::path other = fs::temp_directory_path(error);
    workshop_ = new_folder((error ? fs::path("/tmp") : other) / "manychain.");
    if (workshop_.empty())
      throw Error(fmt::format("no temporary folder can be made in {}: {}", other.string(), std::strerror(errno)));
    if (!temporary_)
      complaint_ = fmt::format("{}: compiled models cannot be kept there; CompileSettings::cache names another folder",
                               folder_.string());
    temporary_ = true;
  }
  bool held = false;
  lock_ = locked(workshop_, held);
  return workshop_;
}

std::string Cache::keep(const fs::path& made, const std::string& name) {
  std::error_code error;
  if (temporary_) return made.string();
  const std::string whole = whole_name(made, name);
  if (whole.empty()) return made.string();
  fs::rename(made, folder_ / whole, error);  // in place of the same that another program has made meanwhile
  return error ? made.string() : (folder_ / whole).string();
}

void Cache::prune(std::size_t files) const {
  if (temporary_) return;
  std::error_code gone;
  // A process that ended before it could remove its folder holds it no more. One that has just made its folder, or that
  // cannot lock it, is given time.
  const auto now = fs::file_time_type::clock::now();
  for (const Entry& entry : entries(folder_, workshop_prefix)) {
    if (!entry.folder || entry.path == workshop_ || entry.used > now - std::chrono::minutes(1)) continue;
    bool held = false;
    const int lock = locked(entry.path, held);
    if (lock >= 0 || (!held && entry.used < now - std::chrono::hours(24))) fs::remove_all(entry.path, gone);
    if (lock >= 0) ::close(lock);
  }
  std::vector<Entry> found = entries(folder_, "");
  found.erase(std::remove_if(found.begin(), found.end(), [](const Entry& entry) { return !is_ours(entry); }),
              found.end());
  if (found.size() <= files) return;
  std::sort(found.begin(), found.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  found.resize(found.size() - files);
  for (const Entry& entry : found) fs::remove(entry.path, gone);
}

}  // namespace manychain::own_model
