// A run as a folder of files, Zarr version 3, that grows while it goes on.
//
// The folder has a folder for each group of the NetCDF file (netcdf.cpp), and these a folder for each variable, with
// zarr.json and chunks of all chains, or of those of a rank, x a block of draws. A variable that grows is written in
// this order, each file beside its place first, synced, and renamed:
//   1. chunks: new ones, and the last one again if it was not full;
//   2. zarr.json of each variable, with its new shape;
//   3. zarr.json of the store, which repeats all of these ("consolidated_metadata");
//   4. the state of the run, with the number of draws that it is behind.
// Draws of warm-up are in groups of their own (warmup_posterior, warmup_sample_stats), which grow before the others.
// A reader of 3 alone finds the same number of draws in all variables, at any moment and whatever was killed; so do
// xarray and zarr-python, which prefer it. One that reads 2 while it changes can find some variables longer than
// others.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "io/kept_run.hpp"
#include "manychain/run/stored_run.hpp"

namespace manychain::io {

inline constexpr const char* store_lock_name = "manychain.lock";
inline constexpr const char* store_state_name = "manychain.state";
inline constexpr const char* store_attribute = "manychain_store";
inline constexpr const char* store_facts = "manychain_facts";
inline constexpr std::size_t store_version = 1;

/// True if a file of draws of that name is a store: it ends in ".zarr".
bool names_store(const std::string& path);
/// The path. Throws BadInput if its name does not end in ".zarr".
const std::string& require_store_name(const std::string& path);
/// True if there is a store of this library, of whatever version, whole or not.
bool is_store(const std::string& path);
/// That of the draws of a store; of what is none, none.
Compression compression_of(const std::string& path);
/// "none" or "gzip". Throws BadInput for another word.
Compression compression_from(const std::string& word);
/// Throws BadInput, with the reason, unless a store can be put at `path`: new, or in place of a store of this library
/// to which no run writes. Leaves nothing behind.
void require_store_replaceable(const std::string& path);

class ZarrStore : public KeptRun, private SharedChunks {
 public:
  enum class Shown {
    at_once,    ///< under its name from begin() on, for readers; an older store there is gone then
    when_whole  ///< after finish(), and nothing remains of one that has not got there; not synced
  };
  struct Reopened {};
  struct Joined {};

  /// Throws as require_store_replaceable() does.
  explicit ZarrStore(std::string path, Shown shown = Shown::at_once, Compression compression = Compression::none);
  /// Goes on with a store. Takes its lock; throws BadInput if another run writes to it or it cannot be read. begin()
  /// then wants the same model, data and precision (else BadInput), and draws behind the state are gone.
  ZarrStore(std::string path, Reopened reopened);
  /// At a rank that is not the first: adds chunks to what the first one has begun.
  ZarrStore(std::string path, Joined joined);
  ~ZarrStore() override;

  void set_facts(StoreFacts facts) override;
  /// So many draws of each chain are there.
  std::size_t draws() const;

  void begin(const Result& facts) override;
  std::size_t block_draws() const override;
  /// `first` must be draws(). Throws NoRoom for a full disk, Error for what else can happen to a folder; the store then
  /// is as it was before, and takes no more.
  void append(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) override {
    write(first, draws, sample_stats, state);
  }
  void begin_append(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) override;
  void flush() override;
  bool takes_warmup() const override { return true; }
  void append_warmup(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) override;
  /// As append(), of draws that somebody else needs.
  void write(std::size_t first, const Draws& draws, const Draws& sample_stats, const RunState& state);
  void write_warmup(const Draws& draws, const Draws& sample_stats);
  /// Adds n_steps, step_size, log likelihoods and the attributes that were not known before.
  void finish(const Result& result) override;
  bool can_be_read() const override { return true; }
  std::unique_ptr<DrawsSource> open() override;
  SharedChunks* shared() override { return this; }

 private:
  enum class Phase { warmup, sampling };
  class Writer;
  void share(std::size_t chains) override;
  std::size_t chains_of_chunk() const override;
  std::string mark() const override;
  bool join(const Result& facts, const std::string& mark) override;
  void write_chains(Stretch chains) override;
  void commit() override;
  std::unique_ptr<Writer> writer_;
};

/// Draws of each chain in a chunk, so that those of all variables together have at most so many bytes.
std::size_t store_block(std::size_t chains, std::size_t variables, std::size_t number_bytes, std::size_t planned,
                        double block_bytes);

/// All draws behind which there is a state. Throws BadInput, with the file, where the store is damaged, no store of
/// this library, or one of a later version.
StoredRun read_stored_run(const std::string& path);
/// Likewise, with a source of the draws in place of the draws.
StoredRun open_stored_run(const std::string& path);
/// The state alone, without reading draws; empty: there is none. Throws likewise.
RunState read_stored_state(const std::string& path);
StoreFacts read_store_facts(const std::string& path);

}  // namespace manychain::io
