// The verdict on draws: whether their chains have converged, what is wrong with them, and what to do about it. Runs and
// files of draws are judged by the same function, from facts that either can give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// A narrow tail of the posterior, for which steps were shortened, or to which chains come too seldom.
struct TailFacts {
  std::string where;      ///< "about 0.5 % of the posterior lies ... near a = 4.9, ..."; empty: there is none
  double shorter = 1;     ///< as UnreachedTail::shorter
  double acceptance = 1;  ///< as UnreachedTail::acceptance
  bool refused = false;   ///< transitions of chains there are hardly accepted
  double visits = 0;      ///< of all chains in the run, about
  bool at_most = false;   ///< there are no more visits than that
  double sd_error = 0;    ///< the relative error of a standard deviation by that, about
  std::size_t draws = 0;  ///< of each chain, that tell the standard deviation; 0: those that there are
};

/// The facts of a run of this library that its draws do not tell. A file of draws keeps them.
struct RunFacts {
  std::string sampler;
  bool biased = false;                                             ///< the sampler does not leave its target invariant
  bool weighted = false;                                           ///< draws of a proposal, to be weighted
  double weights_ess = std::numeric_limits<double>::quiet_NaN();   ///< as Result::sampling.weights_ess
  double weights_khat = std::numeric_limits<double>::quiet_NaN();  ///< as Result::sampling.weights_khat
  bool trajectory = true;  ///< a divergence is a trajectory with a large energy error
  bool momenta =
      false;  ///< the sampler has the energies of a Hamiltonian, so that there is an E-BFMI of those that are kept
  double step_size = std::numeric_limits<double>::quiet_NaN();
  double target_acceptance = std::numeric_limits<double>::quiet_NaN();  ///< that warm-up aimed for; NaN: none
  bool fixed_step = false;                      ///< its step size was given, and nothing was adapted
  bool scheduled = false;                       ///< its steps were those of Settings::sampling.schedule
  bool given_starts = false;                    ///< Settings::warmup.initial_points: one position for each chain
  std::size_t warmup = 0, draws = 0, thin = 1;  ///< Settings::warmup.transitions, draws and thin
  /// Chain c belongs to superchain c mod `superchains`, and nested R-hat decides; fewer than two: R-hat decides.
  std::size_t superchains = 0;
  std::size_t groups = 1;         ///< Settings::groups, of equally many chains, which nested R-hat compares, too
  std::uint64_t divergences = 0;  ///< transitions of the sampling phase
  std::vector<std::size_t> divergent_chains;
  std::vector<std::size_t> stuck_chains;  ///< none of the last 100 transitions moved
  std::vector<std::size_t> nonfinite_chains;
  std::vector<std::size_t> outlying_chains;                           ///< never came near the log density of the others
  double precision_error = std::numeric_limits<double>::quiet_NaN();  ///< as Result::precision.error
  bool precision_unknown = false;                                     ///< as Result::precision.unknown
  std::string beyond_precision;                                       ///< as Result::precision.beyond
  /// Evaluations in sampling and before it that a foreign density rejected, draws whose outputs it could not compute,
  /// and what it said.
  std::uint64_t rejected = 0, rejected_before = 0, rejected_outputs = 0;
  std::string rejection;
  std::vector<std::string> constants;  ///< quantities that are constants of the model: no R-hat is asked of them
  /// Quantities that are computed from the parameters and have one value in all draws, or in all but a handful: the
  /// parameters decide, and what moves.
  std::vector<std::string> still;
  std::string no_log_likelihood;           ///< why those that were asked for could not be computed; else empty
  bool precision_looked = false;           ///< PrecisionCheck::looked, at the posterior
  bool precision_double = false;           ///< the run was in double
  std::string precision_fault;             ///< why single is not enough at the posterior; empty: it is
  std::string precision_cure;              ///< what data to scale
  bool without_leaves = false;             ///< as Result::posterior.without_leaves
  std::vector<std::string> missed_necks;   ///< as Result::posterior.missed_necks
  std::vector<std::string> necks_of_data;  ///< those of them that scale data (DependentScale::by_data)
  std::vector<std::string> drifts;         ///< as Result::posterior.drifts
  std::vector<std::string> missed_modes;   ///< a text for each of Result::posterior.modes that was missed
  std::vector<std::string> exchangeable;   ///< ModesLook::exchangeable
  bool annealed = false;                   ///< chains started where annealing ended
  std::vector<std::string> weighed_modes;  ///< a text for each mode that annealing has weighed, if there are several
  std::size_t temperatures = 0;            ///< of a chain that tempers; 0: it does not
  double barrier = 0;                      ///< as TemperingFound::barrier
  std::uint64_t restarts = 0;              ///< as TemperingFound::restarts
  bool constant_metric = false;            ///< the metric that was asked for has no masses that depend on position
  /// Chains that a dense metric would have needed at least, in a run whose metric has no correlations although
  /// Settings::sampling.metric asks for them; 0: it has, or none were asked for.
  std::size_t chains_for_dense = 0;
  std::vector<std::string> improper;   ///< as Result::posterior.improper
  std::string places;                  ///< as Result::posterior.places
  std::vector<std::string> edges;      ///< as Result::posterior.edges
  std::vector<std::string> jumps;      ///< as Result::posterior.jumps
  std::vector<std::string> orderable;  ///< ModesLook::orderable
  TailFacts tail;                      ///< ModesLook::tail, if the draws show too little of it
  std::string wrong_gradient;          ///< as Result::posterior.wrong_gradient
  std::string low_chains;              ///< as Result::posterior.low_chains
};

/// The facts that a file of any program shows of its chains.
struct FileFacts {
  std::vector<std::string> faults;  ///< why the draws cannot be taken for a whole run; a sentence each
  std::vector<std::string> unseen;  ///< what could not be looked at, because the files do not have it
  std::size_t stuck_draws = 0;      ///< how many draws at the end of a stuck chain are the same
  std::vector<std::size_t> stuck_chains, nonfinite_chains, divergent_chains;
  std::vector<std::size_t> identical_chains;  ///< with the draws of another chain
  std::uint64_t divergences = 0;              ///< draws
  std::vector<std::size_t> deep_chains;       ///< with a trajectory of the largest tree depth
  std::uint64_t deep_trajectories = 0;
};

/// The facts that are judged.
struct Facts {
  std::size_t chains = 0;
  std::size_t draws = 0;                 ///< of each chain
  std::vector<std::string> chain_names;  ///< empty: chains have numbers, from 0
  std::vector<SummaryRow> summary;
  std::size_t not_summarised = 0;  ///< rows at the end of `summary` that were not computed
  bool tail_ess = true;            ///< the summary has a tail ESS
  std::vector<double> ebfmi;       ///< one per chain; empty: not known, or there is none
  bool cancelled = false;
  std::size_t draws_planned = 0;  ///< of each chain; looked at only if `cancelled`
  std::optional<RunFacts> run;    ///< of a run of this library: it decides what `file` tells, too
  FileFacts file;                 ///< empty for a run
};

enum class Severity {
  failure,  ///< a reason why the chains have not converged
  warning,  ///< speaks against the draws, although chains may agree on them
  note      ///< worth knowing; no matter of trust
};

struct Finding {
  Severity severity = Severity::failure;
  std::string what;    ///< "Stuck: no move in the last 100 transitions of 1 of 64 chains (3)."
  std::string advice;  ///< what to do; names settings as "Settings::warmup.transitions"; may be empty

  std::string text() const { return advice.empty() ? what : what + ' ' + advice; }
};

struct Verdict {
  /// No failure: every R-hat < 1.01 (with superchains: nested R-hat), every bulk ESS > 400, no chain stuck, outlying or
  /// not finite.
  bool converged = false;
  std::string headline;           ///< "Converged: ...", "Converged, with warnings: ..." or "NOT converged:"
  std::vector<Finding> findings;  ///< failures first, then warnings, then notes

  /// Converged, and nothing speaks against the draws.
  bool sound() const;
  /// A text for each finding: what to say of it, and what to do about it.
  std::vector<std::string> texts(Severity severity) const;
  /// The headline, and a line for each finding; `advice`: another one with what to do.
  std::string text(bool advice = true) const;
};

/// Everything there is to say. A statistic that is not defined is a finding, never a pass.
Verdict judge(const Facts& facts);

}  // namespace manychain::diagnostics
