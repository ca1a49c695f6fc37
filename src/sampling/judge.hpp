// Judges a run at its end: which chains failed, and whether it has converged.
#pragma once

#include <string>
#include <vector>

#include "diagnostics/deciding.hpp"
#include "manychain/diagnostics/verdict.hpp"
#include "manychain/run/engine.hpp"
#include "manychain/run/result.hpp"

namespace manychain {

inline constexpr double stuck_after = 100;  ///< transitions without a move, from which on a chain is stuck

/// Says which R-hat and which ESS decide.
inline diagnostics::Deciding deciding(const Settings& settings) {
  return {settings.superchains.value_or(0), *settings.draws};
}

/// Marks outputs that need not converge: constants of the model, and derived quantities that hardly move in `draws`
/// draws of all chains. A parameter is none of the latter; nor is anything if there is nothing else.
std::vector<bool> still_outputs(const std::vector<VariableSummary>& summary, const Layout& layout, std::size_t draws);

/// Does so for all that a result has summarised.
std::vector<bool> still_outputs(const Result& result);

/// True if these quantities have, after `draws` draws of all chains, what Settings::target_ess asks for. What need not
/// converge needs nothing, and a tail ESS that is not defined beside a bulk ESS that is needs no more draws.
bool reached(const std::vector<VariableSummary>& summary, const Layout& layout, const Settings& settings,
             std::size_t draws);

/// Collects what a run tells of itself beside its draws. A file of its draws keeps it.
diagnostics::RunFacts run_facts(const Result& result);

/// Says why the run has not converged, without advice: for those who see many runs.
std::string reasons(const Result& result);

/// Names the chains that diverged, are stuck, outlying or not finite, sets `converged`, and takes back a precision
/// check that passed where the run has not converged. Needs the summary, the layout and the settings of the result.
void judge(Result& result, const ChainStatistics& statistics);

}  // namespace manychain
