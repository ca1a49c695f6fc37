// The folder of compiled models: files named by the digest of all that they were made from, and by their own.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace manychain::own_model {

/// The folder of compiled models, made if it is not there. What appears in it appears whole, by a rename, so that any
/// number of programs may use it at once. What is kept as "KEY.o" lies in KEY-SIZE-DIGEST.o: file and digest cannot
/// come apart, and two writers of one key leave two files, each with its own.
class Cache {
 public:
  /// `folder` empty: MANYCHAIN_CACHE, XDG_CACHE_HOME/manychain or ~/.cache/manychain. One that cannot be written to is
  /// replaced by a folder that goes with this object; `complaint()` then says so.
  explicit Cache(std::string folder);
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  ~Cache();

  const std::string& complaint() const { return complaint_; }

  /// The file that is kept as `name`; empty if there is none, or none that is whole: whoever keeps that name again
  /// takes its place. Notes that it is in use.
  std::string find(const std::string& name) const;
  /// A folder on the same disk to work in, which goes with this object.
  const std::filesystem::path& workshop();
  /// Gives a file of the workshop its place as `name`; returns where it lies then.
  std::string keep(const std::filesystem::path& made, const std::string& name);
  /// Removes the files that were not used for the longest time, but for `files` of them, and workshops that a program
  /// has left behind: whoever works in one holds a lock of it.
  void prune(std::size_t files) const;
  /// Removes now what goes with this object.
  void clear();

 private:
  std::filesystem::path folder_, workshop_;
  std::string complaint_;
  bool temporary_ = false;
  int lock_ = -1;  // of the workshop, by which others see that its process lives
};

}  // namespace manychain::own_model
