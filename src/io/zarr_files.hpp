// The files of a store that grows: they change together, and one process writes at a time.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "io/raw_file.hpp"

namespace manychain::io {

/// Throws NoRoom for a full disk, a quota or a limit, else Error: `path` cannot be written.
[[noreturn]] void fail_to_write(const std::string& path, int error);

/// Files that take their names one after another, in the order in which they were added, once all of them are whole.
/// Until then each is NAME.partial beside its place or, of every other one of those that overlap in time,
/// NAME.next.partial. A process that is killed leaves a prefix of them.
class FilesTogether {
 public:
  /// `path` names the store in sentences. `synced`: they outlast a crash of the machine.
  FilesTogether(std::string path, std::string folder, bool synced, bool next = false)
      : path_(std::move(path)), folder_(std::move(folder)), synced_(synced), next_(next) {}
  FilesTogether(const FilesTogether&) = delete;
  FilesTogether& operator=(const FilesTogether&) = delete;
  /// Removes those that have not got their names.
  ~FilesTogether();

  /// Writes one. Throws as fail_to_write() does.
  void add(const std::string& name, const std::vector<Piece>& pieces) { name_next(name), write(name, pieces); }
  void add(const std::string& name, const std::string& text) { add(name, {{text.data(), text.size()}}); }
  /// The two steps of add(). write() may be called by another thread, and must have returned before publish() begins.
  void name_next(const std::string& name) { names_.push_back(name); }
  void write(const std::string& name, const std::vector<Piece>& pieces) const;
  /// Files that are added from now on get their names when those before have them for good.
  void barrier() { barriers_.push_back(names_.size()); }
  void publish();

 private:
  std::string place(const std::string& name) const { return folder_ + "/" + name; }

  std::string begun(const std::string& place) const { return place + (next_ ? ".next.partial" : ".partial"); }

  std::string path_, folder_;
  bool synced_, next_;
  std::vector<std::string> names_;
  std::vector<std::size_t> barriers_;
  std::size_t published_ = 0;
};

/// The right to write to a store. It ends with its process.
class StoreLock {
 public:
  StoreLock() = default;
  enum class Held {
    alone,
    together  ///< by the ranks of one run; it ends with the last of them
  };
  /// Throws BadInput if another process has it, or if no file can be made in `folder`. `path` names the store.
  StoreLock(const std::string& path, const std::string& folder, Held held = Held::alone);
  StoreLock(StoreLock&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  StoreLock& operator=(StoreLock&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~StoreLock();
  /// The others may take it as well from now on. Throws BadInput if another run has got it meanwhile.
  void hold_together(const std::string& path);

 private:
  int id_ = -1;
};

}  // namespace manychain::io
