// A tail of the posterior that the chains of a run do not enter, or seldom (modes/tail.hpp): the look for it behind
// warm-up, and the words of the verdict.
#pragma once

#include <cstddef>
#include <optional>

#include "manychain/diagnostics/verdict.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/tuning.hpp"
#include "modes/look.hpp"

namespace manychain {

/// Looks for a tail from the chains of `look` that have the steps of `tuning`, and says by how much these are to be
/// shortened. For samplers of trajectories, in up to 20 dimensions, without masses that depend on position (necks have
/// a test of their own), and where the look has 1024 evaluations.
std::optional<UnreachedTail> look_for_tail(const Model& model, const Place& place, const Settings& settings,
                                           const GroupTuning& tuning, const LookWanted& look, std::size_t& evaluations);

/// False: chains have come to the tail so seldom in so many draws of each that its part of a standard deviation is
/// known to no better than 2.5 %, and as many draws as the settings allow tell it to 20 % or better.
bool draws_show_tail(const std::optional<UnreachedTail>& tail, const Settings& settings, std::size_t draws);

/// The tail in words, if steps were shortened for it, or the draws do not show it.
diagnostics::TailFacts tail_facts(const Result& result);

}  // namespace manychain
