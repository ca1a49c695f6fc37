// A run whose chains several ranks hold.
#pragma once

#include <functional>

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"
#include "run/ranks.hpp"
#include "run/run_store.hpp"
#include "sampling/drawn.hpp"
#include "sampling/stored.hpp"

namespace manychain {

/// Called by all ranks, within Ranks::together(), with the same model, data and settings, but for threads, a device,
/// progress and a flag that cancels. Every rank gets the result that a run without ranks has, with the draws that
/// `draws` says, the same at all ranks. It ends where one rank asks for it. `drawn` is called at this rank, and may be
/// empty.
Result sample_in_ranks(const Model& model, const Settings& settings, Ranks& ranks, DrawsAt draws = DrawsAt::all_ranks,
                       const Drawn& drawn = {});

/// Likewise, stored while it goes on by `store` of the first rank; the others give one that may join it
/// (SharedChunks), or null. The store has the numbers that one of a run without ranks has, and any number of ranks, or
/// none, goes on with it, in warm-up, too.
Result sample_in_ranks(const Model& model, const Settings& settings, Ranks& ranks, RunStore* store,
                       const Storing& storing = {}, DrawsAt draws = DrawsAt::all_ranks);
/// Gives a rank its threads and its GPU, where settings leave them open.
using ShareMachine = std::function<void(const Model&, Settings&)>;

/// As resume(), by all ranks. `stored` is that of the first rank, the others give none; `store` as there. Throws
/// BadInput of a part, too.
Result resume_in_ranks(const Model& model, StoredRun stored, const Resumed& resumed, Ranks& ranks,
                       const ShareMachine& share_machine, RunStore* store, const Storing& storing = {},
                       DrawsAt draws = DrawsAt::all_ranks);

}  // namespace manychain
