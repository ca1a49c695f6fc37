// What is thought of a run at its end: which chains failed, and whether it has converged.
#pragma once

#include "manychain/run/engine.hpp"
#include "manychain/run/result.hpp"

namespace manychain {

inline constexpr double stuck_after = 100;  ///< transitions without a move, from which on a chain is stuck

/// Names the chains that diverged, are stuck, astray or not finite, and sets `converged`. Needs the summary and the
/// layout of the result.
void judge(Result& result, const ChainStatistics& statistics);

}  // namespace manychain
