// What is thought of a run at its end: which chains failed, and whether it has converged.
#pragma once

#include "manychain/run/engine.hpp"
#include "manychain/run/result.hpp"

namespace manychain {

inline constexpr double stuck_after = 100;  ///< transitions without a move, from which on a chain is stuck

/// Whether nested R-hat decides in place of R-hat.
inline bool has_superchains(const Settings& settings) { return settings.superchains.value_or(0) > 1; }
/// The R-hat that decides.
inline double deciding_rhat(const Settings& settings, const VariableSummary& s) {
  return has_superchains(settings) ? s.rhat_nested : s.rhat;
}
/// Whether chains are too short for the bulk ESS, but have superchains.
inline bool too_short_for_ess(const Settings& settings) { return settings.draws < 6 && has_superchains(settings); }
/// The ESS that decides: bulk ESS or, where chains are too short for it, that which the means of the superchains'
/// halves show. Their variance B is R^2 - 1 times that of the draws, and that of the mean of all 2 K of them is B / (2
/// K).
inline double deciding_ess(const Settings& settings, const VariableSummary& s) {
  if (!too_short_for_ess(settings)) return s.ess_bulk;
  return 2 * static_cast<double>(*settings.superchains) / (s.rhat_nested * s.rhat_nested - 1);
}

/// Names the chains that diverged, are stuck, outlying or not finite, sets `converged`, and takes back a precision
/// check that passed where the run has not converged. Needs the summary, the layout and the settings of the result.
void judge(Result& result, const ChainStatistics& statistics);

}  // namespace manychain
