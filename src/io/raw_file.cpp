#include "io/raw_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace manychain::io {
namespace {

// Blocks of disks are no larger.
constexpr std::size_t disk_block = 4096;

/// The bytes of a piece that can be written past the cache.
std::size_t whole_blocks(const Piece& piece) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(piece.first) % disk_block == 0;
  return aligned && piece.second >= direct_bytes ? piece.second / disk_block * disk_block : 0;
}

/// Bytes from `at` on, but for `left` of them once it returns.
int write_some(int file, const char*& at, std::size_t& left) {
  while (left > 0) {
    const ssize_t written = write(file, at, std::min(left, std::size_t(1) << 30));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    at += written;
    left -= static_cast<std::size_t>(written);
  }
  return 0;
}

}  // namespace

int write_all(int file, const std::vector<Piece>& pieces) {
  for (const auto& [bytes, count] : pieces) {
    const char* at = static_cast<const char*>(bytes);
    std::size_t left = count;
    if (const int error = write_some(file, at, left)) return error;
  }
  return 0;
}

int write_new_file(const std::string& place, const std::vector<Piece>& pieces, bool to_disk) {
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  std::vector<Piece> rest = pieces;
  const std::size_t direct = to_disk && !pieces.empty() ? whole_blocks(pieces[0]) : 0;
  int file = -1, error = 0;
#ifdef O_DIRECT
  if (direct > 0 && (file = open(place.c_str(), flags | O_DIRECT, 0666)) >= 0) {
    const char* at = static_cast<const char*>(rest[0].first);
    std::size_t left = direct;
    error = write_some(file, at, left);
    rest[0] = {at, rest[0].second - (direct - left)};
    // EINVAL: the file system takes such a file, but not such a write.
    if (error == 0 || error == EINVAL) error = fcntl(file, F_SETFL, 0) != 0 ? errno : 0;
  }
#endif
  if (file < 0 && (file = open(place.c_str(), flags, 0666)) < 0) return errno;
  if (error == 0) error = write_all(file, rest);
#ifdef SYNC_FILE_RANGE_WRITE
  if (to_disk && error == 0) sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);  // begins; sync_one() waits
#endif
  if (close(file) != 0 && error == 0) error = errno;
  return error;
}

int sync_one(const std::string& place) {
  const int file = open(place.c_str(), O_RDONLY | O_CLOEXEC);
  int error = file < 0 || fsync(file) != 0 ? errno : 0;
  if (file >= 0) close(file);
  return error == EINVAL ? 0 : error;  // some file systems cannot sync a folder
}

}  // namespace manychain::io
