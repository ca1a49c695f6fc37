// Runs that are stored while they go on, and go on from what is stored. A run that was ended, at whatever moment, and
// resumed, gives the bits of one that was not: draws, statistics, summary and verdict, for any number of threads. Where
// blocks end, and how often they are stored, changes no draw.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/run/stored_run.hpp"
#include "run/ended_early.hpp"
#include "run/run_store.hpp"
#include "sampling/watch.hpp"

namespace manychain {

/// As sample(model, settings). Calls RunStore::begin() and stores a first state once chains have started, before
/// warm-up; then others in warm-up and at its end, then draws, at the latest when the run ends or is cancelled. A run
/// that keeps no draws has states alone, and wants a store that needs none (RunStore::needs_draws()). Where the search
/// before warm-up is cut short, there is no state: EndedEarly.
Result sample(const Model& model, const Settings& settings, RunStore& store, const Storing& storing = {},
              const Watch& watch = {});

/// Goes on with a run from where it was stored, to its end. From a state of before warm-up it begins anew, with the
/// settings of then: the draws are those that it would have had. From a state in warm-up it searches for starting
/// points anew, and then goes on from there. The store holds the draws of `stored`, and gets what follows. A run that
/// has ended has its diagnostics computed again, and no draws if nothing changes.
///
/// Throws BadInput, before anything is stored, if the state is empty or damaged, or of another version of manychain,
/// model, layout, data, backend, instruction set or GPU; if the draws do not fit to it; if fewer draws are asked for
/// than there are.
Result resume(const Model& model, StoredRun stored, const Resumed& resumed, RunStore& store,
              const Storing& storing = {}, const Watch& watch = {});

/// One run of all its parts, in any order, with one summary and one verdict. It is, bit by bit, the run that was never
/// in parts, and can go on. Of `how` the threads, `progress` and `cancel` count. The store is a new one.
///
/// Throws BadInput as resume() does, and if a part is missing, is there twice, has not ended, or is of another run.
Result merge(const Model& model, std::vector<StoredRun> parts, const Resumed& how, RunStore& store,
             const Storing& storing = {});

/// A state with all facts, and nothing of single chains: ranks that go on get it from the first one.
RunState without_chains(const RunState& state);

/// The facts of a run that its state says, without going on.
struct StoredFacts {
  std::string model;
  Settings settings;       ///< all defaults filled in
  std::string backend;     ///< "cpu" or "cuda"
  bool sampling = false;   ///< false: it was stored before warm-up had ended
  bool in_warmup = false;  ///< then: part of warm-up is done
  std::size_t draws = 0;   ///< of each chain
  std::optional<RunPart> part;
  std::string warm;  ///< of a part: the digest of the state, at the end of warm-up, of all chains
  std::size_t first_chain = 0, chains = 0;  ///< those of the part, counted within the run; else all
};
/// Throws BadInput as resume() does for the state alone.
StoredFacts stored_facts(const RunState& state);

}  // namespace manychain
