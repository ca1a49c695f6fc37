// The writer behind a Zarr store: its groups and variables as they grow, and what is added when the run has ended.
// Ranks write chunks together, each those of its chains; the first one goes on with the rest once all of them are
// there.
#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/partial_file.hpp"
#include "io/run_attributes.hpp"
#include "io/zarr_blocks.hpp"
#include "io/zarr_files.hpp"
#include "io/zarr_folder.hpp"
#include "io/zarr_group.hpp"
#include "io/zarr_store.hpp"
#include "run/named_dimensions.hpp"

namespace manychain::io {

/// A chunk of all variables together has at most so many bytes, on the disk from its first draw on.
inline constexpr double most_block_bytes = 16e6;

class ZarrStore::Writer {
 public:
  Writer(std::string path, Shown shown, Compression compression);
  Writer(std::string path, Reopened);
  Writer(std::string path, Joined);
  void begin(const Result& result);
  /// Returns once all files are written but for what the disk does, which settle() waits for, and the next call.
  void append(Phase phase, std::size_t first, const Draws& draws, const Draws& sample_stats, const RunState& state);
  void settle();
  void finish(const Result& result);

  // As those of SharedChunks.
  void share(std::size_t chains) { column_ = chains, shared_ = true; }
  std::size_t column() const { return column_; }
  bool join(const Result& result, const std::string& mark);
  void write_chains(Stretch chains);
  void commit();

  std::size_t at_once() const { return at_once_; }
  std::size_t draws() const { return sampling_.count; }
  const std::string& path() const { return path_; }
  const std::string& folder() const { return folder_; }

  StoreFacts facts;

 private:
  /// Draws of each chain: planned, those that there are, and those of a chunk.
  struct Growth {
    std::size_t planned = 1, count = 0, block = 1;
  };
  /// Groups of warm-up have the names of the others behind "warmup_".
  static Phase phase_of(const std::string& group) {
    return group.starts_with("warmup_") ? Phase::warmup : Phase::sampling;
  }
  static Phase phase_of(const ZarrGroup& group) { return phase_of(group.name()); }
  Growth& of(Phase phase) { return phase == Phase::warmup ? warmup_ : sampling_; }
  ZarrType number() const { return double_ ? ZarrType::float64 : ZarrType::float32; }
  void size_up(const Result& result);
  std::size_t own_columns() const { return (own_.count + column_ - 1) / column_; }
  void wait_for_last();
  /// Adds a variable's block of this number. A full one of many bytes is written by another thread, while the next
  /// one is filled in other memory.
  void add_block(const std::shared_ptr<FilesTogether>& files, GrowingArray& one, std::size_t block, bool full);
  void free_blocks_of_warmup();
  void make_groups(const Result& result);
  void add_quantities(FileGroup which, const char* name, const Result& result);
  void add_stats(const char* name, const Result& result);
  ZarrGroup& add_drawn(const std::string& name, const Result& result);
  void add_data(FileGroup which, const char* name, const Result& result);

  /// Behind a state of the store, as if no draws had been added since.
  void go_on(const ZarrFolder& store);

  /// The block of a variable that is not full: it is written again with what follows.
  void read_last_block(GrowingArray& one, const ZarrFolder& store);
  void require_same(const ZarrGroup& group, const ZarrFolder& store) const;
  void make_folders(std::size_t first_group);
  void make_folder(const ZarrGroup& group, const ZarrArray& array);

  /// All of a store but for the chunks of its draws.
  void add_groups(FilesTogether& files);
  void add_group(FilesTogether& files, const ZarrGroup& group);
  void add_attributes(FilesTogether& files, const ZarrGroup& group);
  void add_metadata(FilesTogether& files, const ZarrGroup& group, const ZarrArray& array);
  static void write_checked(const FilesTogether& files, const std::string& name, std::string_view bytes);
  static void add_checked(FilesTogether& files, const std::string& name, std::string_view bytes);
  static void write_chunk(const FilesTogether& files, const std::string& name, const ZarrArray& array,
                          std::string_view bytes);
  static void add_chunk(FilesTogether& files, const ZarrGroup& group, const ZarrArray& array, std::size_t block,
                        std::size_t column, std::string_view bytes);

  /// Numbers of draws from `first` to `end`, and ahead to the end of their chunks.
  void add_draw_numbers(FilesTogether& files, Phase phase, std::size_t first, std::size_t end);
  void put(const Draws& draws, std::size_t first, std::size_t count, GrowingArray& one, std::size_t place);
  void add_root(FilesTogether& files);
  void add_state(FilesTogether& files, const RunState& state);
  ZarrGroup& group(const char* name);

  /// All chains of a group have the same, but a reader expects one per chain.
  void add_step_sizes(FilesTogether& files, const Result& result);
  template <class Number, class Value>
  void add_blocks(FilesTogether& files, const ZarrGroup& in, const ZarrArray& array, const Value& value);
  void add_log_likelihood(FilesTogether& files, const Result& result);

  std::string path_, folder_;
  Shown shown_;
  Compression compression_ = Compression::none;
  bool reopened_ = false, double_ = false, stats_ = false, complete_ = false, failed_ = false;
  bool shared_ = false, joined_ = false;  ///< ranks write chunks; this is not the first of them
  std::size_t chains_ = 0, outputs_ = 0, at_once_ = 1;
  std::size_t column_ = 0;  ///< chains of a chunk; 0: all
  Stretch own_;             ///< chains whose draws are appended here
  Growth sampling_, warmup_;
  std::string now_ = utc_now();
  std::optional<PartialFolder> begun_;
  StoreLock lock_;
  std::vector<ZarrGroup> groups_;
  std::vector<GrowingArray> growing_;
  bool next_name_ = false;
  DrawValues<char> written_;                ///< a full block while it is written
  std::shared_future<void> writing_;        ///< of that
  std::shared_ptr<FilesTogether> pending_;  ///< what follows the chunks of the last append, once all ranks have theirs
  std::future<void> publishing_;            ///< of the last append; ends before the lock and the folder go
};

}  // namespace manychain::io
