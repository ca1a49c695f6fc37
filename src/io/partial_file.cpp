#include "io/partial_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace manychain::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* advice = "keep fewer draws, or write to another folder";

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw BadInput(fmt::format("{}: cannot be written: {}", path, why));
}

/// Where the file itself lies, or will lie: a link stays a link.
std::string behind_links(const std::string& path) {
  std::error_code error;
  fs::path at = path;
  for (int links = 0; links < 40 && fs::is_symlink(at, error); ++links) {
    const fs::path target = fs::read_symlink(at, error);
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
  return at.string();
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

std::string partial_name(const std::string& target) { return target + ".partial"; }

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

PartialFile::PartialFile(const std::string& path)
    : path_(path), target_(behind_links(path)), partial_(partial_name(target_)) {
  require_replaceable(path);
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

void require_replaceable(const std::string& path) {
  std::error_code ignored;
  const std::string target = behind_links(path), partial = partial_name(target), folder = folder_of(target);
  if (fs::is_directory(target, ignored)) refuse(path, "it is a folder");
  if (!fs::is_directory(folder, ignored)) refuse(path, "there is no folder " + folder);
  if (fs::exists(target, ignored)) {
    if (!fs::is_regular_file(target, ignored)) refuse(path, "it is no regular file");
    if (access(target.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
  }
  if (Descriptor(partial, O_WRONLY | O_CREAT | O_EXCL).id() >= 0) {
    fs::remove(partial, ignored);
  } else if (errno != EEXIST || Descriptor(partial, O_WRONLY).id() < 0) {
    refuse(path, fmt::format("{}: {}", partial, std::strerror(errno)));
  }
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
