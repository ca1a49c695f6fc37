// A run whose chains several ranks hold.
#pragma once

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"
#include "run/ranks.hpp"
#include "sampling/drawn.hpp"

namespace manychain {

/// Called by all ranks, within Ranks::together(), with the same model, data and settings, but for threads, a device,
/// progress and a flag that cancels. Every rank gets the result that a run without ranks has, draws of all chains
/// included. It ends where one rank asks for it. `drawn` is called at this rank, and may be empty.
Result sample_in_ranks(const Model& model, const Settings& settings, Ranks& ranks, const Drawn& drawn = {});

}  // namespace manychain
