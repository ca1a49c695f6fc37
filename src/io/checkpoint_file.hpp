// A run as one file that is replaced while it goes on: the last state, and the draws until there, if they are kept.
//
// The file has a head, the facts, blocks of draws and the state, which is that of a store (sampling/run_state.hpp).
// Each time it is written anew beside its place, synced and renamed, so that whoever opens it finds a whole one. Blocks
// that were there before are copied from the older file: the run holds its draws in memory once.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "io/kept_run.hpp"

namespace manychain::io {

/// True if such a file is there, of whatever version, whole or not.
bool is_checkpoint(const std::string& path);

class CheckpointFile : public KeptRun {
 public:
  struct Reopened {};
  /// Throws BadInput unless a file can be put at `path`: new, or in place of an older checkpoint or of an empty file.
  explicit CheckpointFile(std::string path);
  /// Goes on with a file that is there. Throws BadInput if it is damaged, or another run writes to it.
  CheckpointFile(std::string path, Reopened reopened);
  ~CheckpointFile() override;

  void set_facts(StoreFacts facts) override;
  void begin(const Result& facts) override;
  /// Draws are stored by time alone: each time the whole file is written.
  std::size_t block_draws() const override;
  /// Throws NoRoom for a full disk, Error for what else can happen; the older file is there still.
  void append(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) override;
  void finish(const Result&) override {}
  bool needs_draws() const override { return false; }

  class Contents;  ///< of a file

 private:
  std::string path_;
  StoreFacts facts_;
  std::unique_ptr<Contents> now_;  ///< the file at `path_`, locked; null: there is none yet
  bool mine_ = false;              ///< `now_` is of this run, not of one that it replaces
};

/// The run of such a file, with a source of its draws.
StoredRun open_checkpoint(const std::string& path);
StoreFacts read_checkpoint_facts(const std::string& path);

}  // namespace manychain::io
