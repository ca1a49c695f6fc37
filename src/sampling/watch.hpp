// A run that is watched, warm-up included. Watching changes no draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"

namespace manychain {

/// The draws of a run so far, copied, with their statistics and the facts of the run, but neither summary nor verdict.
/// For the thread of the run, between its blocks: in a Watch and in Settings::progress. Throws BadInput if the run
/// keeps no draws.
using DrawsSoFar = std::function<Result()>;

/// Progress of the run.
struct Watched {
  bool sampling = false;          ///< after warm-up
  std::uint64_t transitions = 0;  ///< of each chain
  std::uint64_t evaluations = 0;  ///< of the model, all chains together
  /// Evaluations of the Pathfinder path that took most, before the chains: paths run side by side.
  std::size_t longest_path = 0;
  const DrawsSoFar* draws_so_far = nullptr;  ///< as long as the run goes on
};

/// Called once the chains are at their starting points, then after every block of transitions. The engine has the
/// positions from which chains continue. Settings::blocks_per_second = 1e9 makes blocks of one adaptation interval.
using Watch = std::function<void(const Engine&, const Watched&)>;

Result sample_watched(const Model& model, const Settings& settings, const Watch& watch);

}  // namespace manychain
