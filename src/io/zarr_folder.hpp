// A store as it is found on a disk, where anybody may have written to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/zarr_array.hpp"
#include "io/zarr_store.hpp"

namespace manychain::io {

/// Draws of each chain that a state is behind.
struct StateCounts {
  std::size_t draws = 0, warmup = 0;
};
/// In front of the state in its file.
struct StateHeader {
  char magic[16];
  std::uint64_t draws, bytes;
  std::uint32_t checksum, warmup;
};
/// Throws Error where there are more draws of warm-up than the header counts.
StateHeader state_header(const StateCounts& counts, const RunState& state);

std::string without_slash(std::string path);

/// The zarr.json of a store, read once: later changes of the store are not seen. Throws BadInput, with the
/// file, for whatever is wrong.
class ZarrFolder {
 public:
  struct Group {
    ZarrJson attributes = ZarrJson::object();
    std::vector<ZarrArray> arrays;
  };

  explicit ZarrFolder(const std::string& path);
  ZarrFolder(const ZarrFolder&) = delete;
  ZarrFolder& operator=(const ZarrFolder&) = delete;
  ~ZarrFolder();

  const std::string& path() const { return path_; }
  const Group* group(const std::string& name) const;
  const ZarrArray* find(const std::string& group, const std::string& array) const;
  const ZarrJson& about() const { return about_; }
  bool complete() const { return complete_; }
  /// A digest of the zarr.json: two stores have the same one if they are copies.
  std::string digest() const;
  std::size_t block_draws() const;
  std::size_t column() const;  ///< chains of a chunk of draws; 0: there are no draws
  Compression compression() const;
  StoreFacts facts() const;

  /// The bytes of a chunk, whose checksum is right.
  std::string chunk(const std::string& group, const ZarrArray& array, std::size_t block, std::size_t column = 0) const;
  /// Throws unless all chunks are there, in their size: a number that no disk holds is found here, before memory is
  /// taken for it.
  void require_chunks(const std::string& group, const ZarrArray& array) const;

  /// Nothing: there is no state.
  std::optional<StateCounts> state_counts() const;
  RunState state() const;

 private:
  [[noreturn]] void damaged(const std::string& file, const std::string& why) const;
  std::string read(const std::string& file, std::size_t most) const;
  std::string whole_state() const;

  std::string path_;
  int id_ = -1;  // of the folder: another one may take its name
  ZarrJson about_;
  StoreFacts facts_;
  bool complete_ = false;
  std::map<std::string, Group> groups_;
};

}  // namespace manychain::io
