#include "io/partial_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

namespace manychain::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* advice = "keep fewer draws, or write to another folder";

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw BadInput(fmt::format("{}: cannot be written: {}", path, why));
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

/// A word for this boot of this machine, and the container, within which process numbers mean the same.
std::string home_of_processes() {
  std::string text;
  if (std::ifstream file("/proc/sys/kernel/random/boot_id"); !std::getline(file, text)) {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    text = host.data();
  }
  struct stat space {};
  if (stat("/proc/self/ns/pid", &space) == 0) text += std::to_string(space.st_ino);
  std::uint32_t hash = 2166136261u;  // FNV-1a, which all versions of this program agree on
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return fmt::format("{:08x}", hash);
}

constexpr std::string_view ending = ".partial";
constexpr std::size_t home_digits = 8;
// ".HOME-PROCESS-NUMBER.partial" takes no more: each of the two numbers has 10 digits at most.
constexpr std::size_t most_added = 1 + home_digits + 2 * (1 + 10) + ending.size();

/// The name of `target`, without folder, that its parts begin with. A long one is cut, so that parts have a legal name
/// wherever the file itself has one. How much is cut does not depend on the part: it must be found again.
std::string stem_of_parts(const fs::path& target) {
  const long told = pathconf(folder_of(target.string()).c_str(), _PC_NAME_MAX);
  const std::size_t most = told > 0 ? static_cast<std::size_t>(told) : 255;
  std::string name = target.filename().string();
  std::size_t size = std::min(name.size(), most > most_added ? most - most_added : 1);
  // No character of UTF-8 is cut in two: some file systems refuse what is none.
  const auto continues = [&](std::size_t i) { return i < name.size() && (name[i] & 0xC0) == 0x80; };
  while (size > 1 && continues(size)) --size;
  name.resize(size);
  return name;
}

/// STEM.HOME-PROCESS-NUMBER.partial beside the target, which no other file has.
std::string partial_name(const std::string& target) {
  static std::atomic<unsigned> made{0};
  fs::path path = target;
  path.replace_filename(
      fmt::format("{}.{}-{}-{}{}", stem_of_parts(path), home_of_processes(), getpid(), made++, ending));
  return path.string();
}

/// The home and the number of the process that writes to `name`, a part with that stem.
std::optional<std::pair<std::string, pid_t>> writer_of(std::string_view name, const std::string& stem) {
  if (name.substr(0, stem.size() + 1) != stem + '.') return {};
  name.remove_prefix(stem.size() + 1);
  if (name.size() < home_digits + ending.size() || name.substr(name.size() - ending.size()) != ending) return {};
  name.remove_suffix(ending.size());
  const std::string_view home = name.substr(0, home_digits), rest = name.substr(home_digits);
  const char* const end = rest.data() + rest.size();
  pid_t process = 0;
  unsigned number = 0;
  if (home.find_first_not_of("0123456789abcdef") != home.npos || rest.substr(0, 1) != "-") return {};
  const auto [dash, bad] = std::from_chars(rest.data() + 1, end, process);
  if (bad != std::errc() || process <= 0 || dash == end || *dash != '-') return {};
  if (std::from_chars(dash + 1, end, number).ptr != end || dash + 1 == end) return {};
  return std::pair(std::string(home), process);
}

/// Removes the parts of `target` whose process has ended. A process on another machine or before a boot cannot be
/// asked: its parts go when nobody has written to them for a day. A part of a living process stays, however old it is.
/// All this holds of the parts of another file with the same stem, too.
void remove_dead_parts(const fs::path& target) {
  std::error_code error;
  const std::string home = home_of_processes(), stem = stem_of_parts(target);
  for (fs::directory_iterator at(folder_of(target.string()), error), end; !error && at != end; at.increment(error)) {
    const auto writer = writer_of(at->path().filename().string(), stem);
    std::error_code gone;  // meanwhile
    const fs::file_status status = at->symlink_status(gone);
    if (!writer || !(fs::is_regular_file(status) || fs::is_directory(status))) continue;
    const auto ended = [&] { return kill(writer->second, 0) != 0 && errno == ESRCH; };
    const auto old = [&] {
      const auto written = fs::last_write_time(at->path(), gone);
      return !gone && fs::file_time_type::clock::now() - written > std::chrono::hours(24);
    };
    if (writer->first == home ? ended() : old()) fs::remove_all(at->path(), gone);
  }
}

/// An open file, for the length of a scope.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : id_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (id_ >= 0) close(id_);
  }
  int id() const { return id_; }

 private:
  int id_;
};

}  // namespace

std::string behind_links(const std::string& path) {
  std::error_code error;
  fs::path at = path;
  for (int links = 0; links < 40 && fs::is_symlink(at, error); ++links) {
    const fs::path target = fs::read_symlink(at, error);
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
  return at.string();
}

PartialFile::PartialFile(const std::string& path)
    : path_(path), target_(behind_links(path)), partial_(partial_name(target_)) {
  require_replaceable(path);
  remove_dead_parts(target_);
}

PartialFile::~PartialFile() {
  std::error_code ignored;
  if (begun_) fs::remove(partial_, ignored);
}

const std::string& PartialFile::begin() {
  begun_ = true;
  return partial_;
}

std::uint64_t PartialFile::size() const {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(partial_, error);
  return error ? 0 : bytes;
}

void PartialFile::keep() {
  std::error_code error;
  fs::rename(partial_, target_, error);
  if (error) throw Error(fmt::format("{}: cannot be written: {}", path_, error.message()));
  begun_ = false;
}

PartialFolder::PartialFolder(const std::string& path)
    : path_(path), target_(behind_links(path)), partial_(partial_name(target_)) {
  const std::string folder = folder_of(target_);
  std::error_code error;
  if (!fs::is_directory(folder, error)) refuse(path, "there is no folder " + folder);
  remove_dead_parts(target_);
  if (!fs::create_directory(partial_, error) || error)
    refuse(path, fmt::format("no folder can be made in folder {}: {}", folder, error.message()));
  begun_ = true;
}

PartialFolder::~PartialFolder() {
  std::error_code ignored;
  if (begun_) fs::remove_all(partial_, ignored);
}

void PartialFolder::keep() {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(target_, error))) {
    fs::rename(partial_, target_, error);
    if (error) throw Error(fmt::format("{}: cannot be written: {}", path_, error.message()));
    begun_ = false;
    return;
  }
#ifdef RENAME_EXCHANGE
  if (renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
    fs::remove_all(partial_, error);
    begun_ = false;
    return;
  }
#endif
  // A file system that cannot exchange two names: for a moment there is none.
  const std::string older = partial_name(target_);
  fs::rename(target_, older, error);
  if (!error) fs::rename(partial_, target_, error);
  if (error) {
    std::error_code ignored;
    if (!fs::exists(target_, ignored)) fs::rename(older, target_, ignored);
    throw Error(fmt::format("{}: cannot be written: {}", path_, error.message()));
  }
  begun_ = false;
  fs::remove_all(older, error);
}

void require_replaceable(const std::string& path) {
  std::error_code ignored, error;
  const std::string target = behind_links(path), partial = partial_name(target), folder = folder_of(target);
  const bool exists = fs::exists(target, error);
  if (fs::is_directory(target, ignored)) refuse(path, "it is a folder");
  if (!fs::is_directory(folder, ignored)) refuse(path, "there is no folder " + folder);
  // A part has a shorter name, and would not tell.
  if (error == std::errc::filename_too_long) refuse(path, error.message());
  if (exists) {
    if (!fs::is_regular_file(target, ignored)) refuse(path, "it is no regular file");
    if (access(target.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
  }
  if (Descriptor(partial, O_WRONLY | O_CREAT | O_EXCL).id() < 0)
    refuse(path, fmt::format("no file can be made in folder {}: {}", folder, std::strerror(errno)));
  fs::remove(partial, ignored);
}

void require_room(const std::string& path, std::uint64_t bytes) {
  std::error_code error;
  const std::string folder = folder_of(behind_links(path));
  const fs::space_info space = fs::space(folder, error);
  // Some network file systems know nothing of it and say 0 of 0.
  if (error || space.capacity == 0 || space.available >= bytes) return;
  throw NoRoom(fmt::format("{}: there is no room for it: it needs {}, and {} are free in {}; {}", path,
                           bytes_in_words(double(bytes)), bytes_in_words(double(space.available)), folder, advice));
}

std::string reserve_room(const std::string& path, std::uint64_t bytes) {
  struct rlimit limit {};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes) {
    return fmt::format("it needs {}, and no file may be larger than {} here (ulimit -f); {}",
                       bytes_in_words(double(bytes)), bytes_in_words(double(limit.rlim_cur)), advice);
  }
#ifdef FALLOC_FL_KEEP_SIZE
  const Descriptor file(path, O_WRONLY);
  if (file.id() < 0 || fallocate(file.id(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) == 0) return "";
  if (errno != ENOSPC && errno != EDQUOT && errno != EFBIG) return "";  // it cannot; then the write will tell
  return fmt::format("there is no room for it: it needs {}: {}; {}", bytes_in_words(double(bytes)),
                     std::strerror(errno), advice);
#else
  (void)path, (void)bytes;
  return "";
#endif
}

void release_room(const std::string& path) {
  std::error_code ignored;
  fs::resize_file(path, fs::file_size(path, ignored), ignored);
}

std::string bytes_in_words(double bytes) {
  for (const char* unit : {"bytes", "kB", "MB", "GB"}) {
    if (bytes < 1000) return fmt::format("{:.3g} {}", bytes, unit);
    bytes /= 1000;
  }
  return fmt::format("{:.3g} TB", bytes);
}

}  // namespace manychain::io
