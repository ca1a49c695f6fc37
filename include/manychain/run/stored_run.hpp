// Runs that are stored while they go on, in a Zarr store or a checkpoint (docs/long_runs.md), and go on from there.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"

namespace manychain {

/// One file that keeps a run: its state, and its draws so far if it keeps them. It is written anew each time, beside
/// its place, and then takes it.
struct Checkpoint {
  std::string file;
};

/// The codec of chunks of a Zarr store.
enum class Compression {
  none,
  gzip  ///< at level 1
};

struct Storing {
  double seconds = 30;  ///< after which new draws are stored, if there are no whole chunks of them before
  /// Bytes. A run with more draws holds some of them at a time, and reads the others back from its store, if that can
  /// be read: Result::draws is empty then. Its results are the same. Beside them it takes the memory of its chains, and
  /// at least that of the draws of one output.
  double memory = 512e6;
  bool warmup_only = false;  ///< the run ends once its state behind warm-up is stored: it goes on by resume()
  Compression compression = Compression::none;  ///< of a new store; one that goes on keeps its own
};

/// The changes that a run may go on with.
struct Resumed {
  std::optional<std::size_t> draws =
      {};  ///< of each chain in all; Settings::sampling.target_ess is left out unless it is given, too
  std::optional<std::size_t> more = {};  ///< in place of `draws`: beside those that there are
  /// Sampling ends there. If the run had no target and `draws` are not given, it has as many draws as a run by default.
  std::optional<double> target_ess = {};
  /// These chains alone, of a run that is stored at the end of its warm-up. The store is a new one then. The draws are
  /// those that the chains would have had with all others; `manychain merge` puts them together.
  std::optional<RunPart> part = {};
  std::optional<double> time_limit = {};  ///< seconds, from here on
  /// Settings::output.log_likelihood in place of the run's: of a run that has ended, pointwise log likelihoods are
  /// computed from its draws.
  std::optional<std::size_t> log_likelihood = {};
  int threads = 0;
  std::function<void(const Progress&)> progress = {};
  const std::atomic<bool>* cancel = nullptr;
};

/// As sample(model, settings). The run is stored in `store` (NAME.zarr): a first state before warm-up, others in it and
/// at its end, then draws, at the latest when the run ends or is cancelled. A store of this library that is there
/// already is replaced. Needs Settings::output.keep_draws. Throws BadInput, before anything is sampled, where no store
/// can be made; Error where it cannot be written to, and then all that was stored before is whole.
Result sample(const Model& model, const Settings& settings, const std::string& store, const Storing& storing = {});

/// Likewise, in one file, whose draws the run holds in memory, too. The run may keep no draws: then the sums over them
/// are stored. Throws BadInput, before anything is sampled, if another file than a checkpoint is there.
Result sample(const Model& model, const Settings& settings, const Checkpoint& checkpoint, const Storing& storing = {});

/// Goes on with the run of a store, or of a checkpoint of that name, to its end. Draws, summary and verdict are, bit by
/// bit, those of a run that was not interrupted. A run that has ended has its diagnostics computed again, and no draws
/// if nothing changes. No `part` may be asked for.
///
/// Throws BadInput, before anything is stored, if there is no such store, or it is damaged; if the run is one of
/// another version of manychain, model, layout, data, backend, instruction set or GPU; if another process writes to it;
/// if fewer draws are asked for than there are.
Result resume(const Model& model, const std::string& store, const Resumed& resumed = {}, const Storing& storing = {});

}  // namespace manychain
