#include "cli/own/cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "manychain/core/error.hpp"

namespace manychain::cli {

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

}  // namespace

std::string digest_of(const std::string& text) {
  __extension__ using Wide = unsigned __int128;
  constexpr Wide prime = (Wide(1) << 88) + 0x13b;
  Wide hash = (Wide(0x6c62272e07bb0142) << 64) + 0x62b821756295c58d;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(hash >> 64), static_cast<std::uint64_t>(hash));
}

Cache::Cache(std::string folder) : folder_(folder.empty() ? usual_folder() : fs::path(std::move(folder))) {
  std::error_code error;
  if (!folder_.empty()) folder_ = fs::absolute(folder_, error);
  if (!folder_.empty()) fs::create_directories(folder_, error);
  if (folder_.empty() || error || !fs::is_directory(folder_, error) || ::access(folder_.c_str(), W_OK | X_OK) != 0) {
    // What is there can still be read.
    temporary_ = true;
    complaint_ = folder_.empty() ? "there is no folder to keep compiled models in: set MANYCHAIN_CACHE"
                                 : fmt::format("{}: compiled models cannot be kept there; --cache names another folder",
                                               folder_.string());
  }
}

Cache::~Cache() { clear(); }

void Cache::clear() {
  std::error_code ignored;
  if (!workshop_.empty()) fs::remove_all(workshop_, ignored);
  workshop_.clear();
}

std::string Cache::find(const std::string& name) const {
  std::error_code error;
  if (folder_.empty() || !fs::is_regular_file(folder_ / name, error)) return "";
  fs::last_write_time(folder_ / name, fs::file_time_type::clock::now(), error);
  return (folder_ / name).string();
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
      complaint_ =
          fmt::format("{}: compiled models cannot be kept there; --cache names another folder", folder_.string());
    temporary_ = true;
  }
  return workshop_;
}

std::string Cache::keep(const fs::path& made, const std::string& name) {
  std::error_code error;
  if (temporary_) return made.string();
  fs::rename(made, folder_ / name, error);  // in place of the same that another program has made meanwhile
  return error ? made.string() : (folder_ / name).string();
}

void Cache::prune(std::size_t files) const {
  if (temporary_) return;
  using Entry = std::pair<fs::file_time_type, fs::path>;
  std::vector<Entry> found;
  std::error_code error;
  const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    std::error_code gone;
    const auto used = entry.last_write_time(gone);
    if (gone) continue;
    const std::string name = entry.path().filename().string();
    if (entry.is_directory(gone)) {
      if (name.rfind(workshop_prefix, 0) == 0 && used < yesterday) fs::remove_all(entry.path(), gone);
    } else {
      found.emplace_back(used, entry.path());
    }
  }
  if (found.size() <= files) return;
  std::sort(found.begin(), found.end());
  found.resize(found.size() - files);
  for (const Entry& entry : found) fs::remove(entry.second, error);
}

}  // namespace manychain::cli
