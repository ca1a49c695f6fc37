// All that a run is behind one of its draws, beside the draws themselves: what another process needs to go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "run/run_store.hpp"
#include "sampling/necks_of_run.hpp"
#include "sampling/recorded_engine.hpp"
#include "warmup/tuned_groups.hpp"

namespace manychain {

/// The model and the place of a run: its draws follow from no others.
struct RunIdentity {
  std::string model;
  std::string layout, data;  ///< digests
  std::string backend;
  /// The rest that draws depend on: the lanes of a pack, which follow from the instruction set, or the name of the
  /// GPU.
  std::string place;
};
RunIdentity identity_of(const Model& model);  ///< without the place
RunIdentity identity_of(const Model& model, const Engine& engine);
/// A digest of the settings that are the same at all ranks: neither threads nor a device.
std::string digest_of(Settings settings);

/// The run that a part of its chains belongs to.
struct PartOfRun {
  RunPart part;
  std::string warm;             ///< digest of the state of all chains at the end of warm-up
  std::uint64_t gradients = 0;  ///< of all chains until then
};

struct StateOfRun {
  RunIdentity identity;
  /// All defaults filled in; without the functions and the flag of a program. Those of the whole run.
  Settings settings;
  std::optional<PartOfRun> part;  ///< given: `chains`, `necks` and the counts in `facts` are of a part of the chains
  bool given_trajectory = false;  ///< Settings::sampling.trajectory was given, not filled in
  /// The findings of the run so far: summary, verdict, draws, tuning and counters of chains are not in it.
  Result facts;
  double seconds = 0;  ///< since the run began

  WarmupState warmup;          ///< empty: before warm-up, or behind it
  Rejections warmup_rejected;  ///< until there, starting points included

  /// False: before warm-up or in it, and the rest is empty. The run then begins anew with these settings, and goes
  /// quickly over the part of warm-up that it has had.
  bool sampling = false;
  std::size_t draws = 0;                             ///< of each chain
  std::uint64_t sampling_begin = 0, transition = 0;  ///< the number of the first of sampling, of the next one
  std::vector<FrozenTuning> groups;
  Snapshot chains;
  NecksOfRun::State necks;
  StreamedDraws streamed;  ///< of a run that keeps no draws
};

/// Adds counts; of the messages one stays that does not depend on the order.
void add_rejections(Rejections& all, const Rejections& more);

RunState to_bytes(const StateOfRun& state);
/// Throws BadInput if it is no state of this version of manychain, or damaged.
StateOfRun state_from(const RunState& bytes);

// Each throws BadInput, saying what differs, unless a run of `stored` can go on as one of `now`.
void require_same_model(const RunIdentity& stored, const RunIdentity& now);
void require_same_place(const RunIdentity& stored, const RunIdentity& now);

}  // namespace manychain
