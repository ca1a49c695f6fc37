// Judges a run at its end: which chains failed, and whether it has converged.
#pragma once

#include <string>
#include <vector>

#include "diagnostics/deciding.hpp"
#include "manychain/diagnostics/verdict.hpp"
#include "manychain/run/engine.hpp"
#include "manychain/run/result.hpp"

namespace manychain {

inline constexpr double stuck_after = 100;  ///< transitions without a move, after which a chain counts as stuck

/// Selects the R-hat and the ESS that decide.
inline diagnostics::Deciding deciding(const Settings& settings) {
  return {settings.superchains.value_or(0), *settings.sampling.draws};
}

/// Marks outputs that need not converge: constants of the model, and derived quantities that hardly move in `draws`
/// draws of all chains. The latter are never parameters, and are not marked if nothing else is left.
std::vector<bool> still_outputs(const std::vector<VariableSummary>& summary, const Layout& layout, std::size_t draws);

/// Likewise for all outputs that a result has summarised.
std::vector<bool> still_outputs(const Result& result);

/// True if these quantities meet Settings::sampling.target_ess after `draws` draws of all chains, with at least
/// diagnostics::ess_of_chain effective draws for each chain. Those that need not converge are ignored. An undefined
/// tail ESS beside a defined bulk ESS needs no more draws.
bool reached(const std::vector<VariableSummary>& summary, const Layout& layout, const Settings& settings,
             std::size_t draws);

/// Likewise, one quantity that must converge.
bool reached(const VariableSummary& quantity, const Settings& settings, std::size_t draws);

/// The largest relative error of an sd that is more than `share` of what the verdict passes over, in units of that; 0:
/// there is none. With a target_ess below that of the verdict so large an error is passed over as an ESS of that size
/// has for a mean.
double imprecision_of_sds(const std::vector<VariableSummary>& summary, const Layout& layout, const Settings& settings,
                          std::size_t draws, double share = 1);

/// Collects the facts of a run beside its draws. A file of its draws has them.
diagnostics::RunFacts run_facts(const Result& result);

/// Gives the reasons why the run has not converged, without advice: for those who see many runs.
std::string reasons(const Result& result);

/// Names the chains that diverged, are stuck, outlying or not finite, and sets `converged`. If the run has not
/// converged, withdraws a precision check that passed. Needs the summary, the layout and the settings of the result.
void judge(Result& result, const ChainStatistics& statistics);
/// Likewise, where `stats` has the statistics of draws, or their lp alone.
void judge(Result& result, const ChainStatistics& statistics, const Draws& stats);

}  // namespace manychain
