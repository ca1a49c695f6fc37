// A run that is kept while it goes on, so that another process can finish it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/diagnostics/draws.hpp"
#include "manychain/run/result.hpp"
#include "run/draws_source.hpp"

namespace manychain {

/// The state of a run behind its last stored draw, as bytes that only sampling/ reads: fields and counters of all
/// chains, tuning, facts of the result so far, the number of the next transition. The first one, of before warm-up, has
/// the settings alone: a run that goes on from there begins anew, and has the draws that it would have had. One in
/// warm-up has what brings the next process to the same place. Empty: there is none.
using RunState = std::string;

/// The chunks of a store that ranks write together (RankedStore), each those of some chains. The first rank begins it
/// and writes all else, the others join it.
class SharedChunks {
 public:
  virtual ~SharedChunks() = default;
  /// At the first rank, before begin(): ranks write it, and chunks of a new store have so many chains. What append()
  /// has stored is seen by readers once commit() or the next append() is called: before, all ranks flush().
  virtual void share(std::size_t chains) = 0;
  /// Behind begin(), of a store that goes on as it was begun.
  virtual std::size_t chains_of_chunk() const = 0;
  /// Bytes by which other ranks know the store.
  virtual std::string mark() const = 0;
  /// At another rank, in place of begin(). False: it does not see the store.
  virtual bool join(const Result& facts, const std::string& mark) = 0;
  /// Behind both: append() gets the draws of these chains alone, of whole chunks or none.
  virtual void write_chains(Stretch chains) = 0;
  virtual void commit() = 0;
};

/// Takes the draws of a run, in order. Calls come one after another, from whatever thread. What they throw ends the
/// run.
class RunStore {
 public:
  virtual ~RunStore() = default;
  /// Before warm-up, and before a run goes on: `facts` has the model, the layout, the data and the settings, all
  /// defaults filled in.
  virtual void begin(const Result& facts) = 0;
  /// The draws that are appended at once: at the latest when so many are there, sooner by time.
  virtual std::size_t block_draws() const = 0;
  /// The draws from number `first` on, and the state behind the last of them. Once it returns, whoever opens the store
  /// finds all draws so far and this state, whatever happens to the process. `sample_stats` may be empty. Without draws
  /// (before warm-up, in it and at its end): the state alone. Draws that it does not move away keep their memory.
  virtual void append(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) = 0;
  /// Likewise, but it may return before the draws are stored, whose files the disk still writes: the next call waits
  /// for that, and throws what goes wrong.
  virtual void begin_append(std::size_t first, Draws&& draws, Draws&& sample_stats, RunState state) {
    append(first, std::move(draws), std::move(sample_stats), std::move(state));
  }
  /// True if it takes draws of warm-up.
  virtual bool takes_warmup() const { return false; }
  /// As append(), of draws of warm-up, of a store that takes them. All of them come before those of sampling.
  virtual void append_warmup(std::size_t /*first*/, Draws&& /*draws*/, Draws&& /*sample_stats*/, RunState /*state*/) {}
  /// Returns once all that was appended is stored.
  virtual void flush() {}
  /// Null: ranks do not share it, the first one gets all draws.
  virtual SharedChunks* shared() { return nullptr; }
  /// Another rank could not write its chunks, for that reason.
  virtual void fail(const std::string& reason) { throw Error(reason); }
  /// The run has ended, by itself or by cancellation: `result` is whole. All of its draws have been appended.
  virtual void finish(const Result& result) = 0;

  /// False if a run that keeps no draws can be stored, by its states alone.
  virtual bool needs_draws() const { return true; }
  /// True if draws can be read back by open(): of a run with more draws than memory the store alone may have some.
  virtual bool can_be_read() const { return false; }
  /// From now on the run holds none of the draws that it has appended: a fault ends it, whether it comes later or is
  /// there already.
  virtual void keep_for_run() {}
  /// The draws that have been appended; those that come later are not seen.
  virtual std::unique_ptr<DrawsSource> open() { return nullptr; }
};

/// The contents of a store. Draws and statistics have as many draws as the state was taken behind.
struct StoredRun {
  Draws draws, sample_stats;  ///< empty if there is a source
  RunState state;
  std::shared_ptr<const DrawsSource> source;  ///< may have more draws than the state
  std::shared_ptr<const DrawsSource> warmup;  ///< draws of warm-up; null: none were kept
};

/// The source of the draws of a run, which it gives up.
std::shared_ptr<const DrawsSource> source_of(StoredRun& run);

}  // namespace manychain
