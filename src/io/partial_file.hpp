// A file that appears under its name when it is whole, and the room that it needs.
#pragma once

#include <cstdint>
#include <string>

#include "manychain/core/error.hpp"

namespace manychain::io {

/// A file under a name of its own, PATH.HOME-PROCESS-NUMBER.partial, until it is whole, so that nobody finds half a
/// file and an older one that a notebook has open is not spoiled. A long name is cut before HOME. When several write to
/// one path, the last to finish has its file there, whole. Whoever writes it creates it, after begin().
class PartialFile {
 public:
  /// Throws BadInput unless a file of that name can be written: see require_replaceable(). Removes what processes that
  /// were killed have left of the same file.
  explicit PartialFile(const std::string& path);
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  /// Removes what was begun and not kept.
  ~PartialFile();

  /// The name to write to.
  const std::string& begin();
  std::uint64_t size() const;  ///< so far
  /// Gives it its name. Throws Error if that fails.
  void keep();

 private:
  std::string path_, target_, partial_;
  bool begun_ = false;  // and not kept yet
};

/// A folder, likewise: under a name of its own until it is whole.
class PartialFolder {
 public:
  /// Throws BadInput unless the folder of `path` exists and can be written to.
  explicit PartialFolder(const std::string& path);
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;
  /// Removes what was begun and not kept.
  ~PartialFolder();

  /// The folder to write to, which is there.
  const std::string& name() const { return partial_; }
  /// Gives it its name, in place of an older one, which is removed. Throws Error if that fails.
  void keep();

 private:
  std::string path_, target_, partial_;
  bool begun_ = false;  // and not kept yet
};

/// The place where the file itself lies, or will lie: a link stays a link when the file is replaced.
std::string behind_links(const std::string& path);

/// Throws BadInput, with the reason, unless a file can be put at `path`, new or in place of an older one: its folder
/// exists and can be written to, and what lies there is no folder, no device and not read-only. Leaves nothing behind.
void require_replaceable(const std::string& path);

/// There is less room on a disk than a file needs.
class NoRoom : public Error {
 public:
  using Error::Error;
};

/// Throws NoRoom, with both figures, if fewer than `bytes` are free in the folder of `path`.
void require_room(const std::string& path, std::uint64_t bytes);

/// Takes the room for a file of `bytes` on the disk, so that writing it cannot fail for want of it later. Its size
/// does not change. Returns why it is refused (a full disk, a quota, a limit of the process), or nothing, also on file
/// systems that know of no such thing.
std::string reserve_room(const std::string& path, std::uint64_t bytes);

/// Gives back what was reserved beyond the end of the file.
void release_room(const std::string& path);

/// "1.5 MB"
std::string bytes_in_words(double bytes);

}  // namespace manychain::io
