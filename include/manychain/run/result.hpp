// The result of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manychain/core/rejections.hpp"
#include "manychain/core/sample_stats.hpp"
#include "manychain/diagnostics/device_draws.hpp"
#include "manychain/diagnostics/draws.hpp"
#include "manychain/diagnostics/summary.hpp"
#include "manychain/diagnostics/verdict.hpp"
#include "manychain/model/data/data.hpp"
#include "manychain/model/data/layout.hpp"
#include "manychain/run/draws_at.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

/// Tuning of the chains of a group when sampling began.
struct TunedGroup {
  double step_size = 0;
  double trajectory = 0;               ///< of samplers that have one
  std::vector<double> inverse_metric;  ///< its diagonal; one per dimension
  std::size_t metric_rank = 0;         ///< directions of the metric beside its scales
  std::size_t leaves = 0;              ///< components whose mass depends on position (samplers/leaf_masses.hpp)
  Integrator integrator = Integrator::leapfrog;
  /// The length that ChEES or SNAPER learnt; `trajectory` is at least as long. 0: none was learnt.
  double learnt_trajectory = 0;
};

/// The findings of Starts::pathfinder. All zero if chains started otherwise.
struct StartsFound {
  bool taken = false;           ///< chains of a group started there; else uniform points were near enough
  std::size_t paths = 0;        ///< that were run
  std::size_t found = 0;        ///< that found a normal approximation
  std::size_t left = 0;         ///< places with a negligible share of the posterior; no chain starts there
  double largest_gap = 0;       ///< of these, how far their evidence lower bound is below the best one
  std::size_t evaluations = 0;  ///< of the model, in double on the host
};

/// Single precision against double at the posterior: at draws from normal approximations that paths on the host find,
/// before any chain moves. Errors are those of rounding; a constant error does not count.
struct PrecisionCheck {
  bool looked = false;  ///< false: there is no gradient, or no path found it
  bool found = true;    ///< false: paths were run, and none found the posterior
  bool enough = true;   ///< single precision suffices, as far as this tells
  /// Bound on the share of accept decisions that the error of the log density changes: the mean of 1 - exp(-|d|) over
  /// pairs of points, d the error of a difference.
  double decisions_changed = std::numeric_limits<double>::quiet_NaN();
  /// Likewise for the effect of rounding positions on the log density in double.
  double positions_changed = std::numeric_limits<double>::quiet_NaN();
  /// Error of the gradient along the line from one draw to another, relative to the gradient along it: root mean
  /// squares.
  double gradient_error = std::numeric_limits<double>::quiet_NaN();
  /// The smallest eigenvalue of the correlation matrix of the draws: a metric in single precision cannot tell one below
  /// its rounding, 6e-8, from zero.
  double smallest_eigenvalue = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> parameters;  ///< not enough: those with most error, or nearly collinear
  double correlation = 0;               ///< of the two in `parameters`, if they do; else 0
  /// Along lines of single parameters through draws: the largest share of a line's mass that single precision cuts off,
  /// as its log density is not finite there, and by how much rounding raises the log density within 20 of its maximum.
  double lost = 0, raised = 0;
  std::string beyond;                 ///< not enough: the parameter with `lost` above 0.01 or `raised` above 1
  std::vector<std::string> unscaled;  ///< not enough: data to centre and scale, "year (mean 1985, sd 20.5)"
  std::string failure;                ///< not enough: single precision fails altogether, and how
};

/// Chains restarted in warm-up at positions of others, as their log densities stayed far below. They may have found
/// another mode, which the draws then do not show.
struct RestartedChains {
  std::size_t chains = 0;  ///< one that was restarted twice counts twice
  double largest_gap = 0;  ///< of a log density below the median of all
};

/// A mode of the posterior in which the run has no draws, or far fewer than its share.
struct MissedMode {
  double share = 0;           ///< of the posterior, about: by a normal approximation
  std::size_t chains = 0;     ///< that are there at the end, of those that are looked at, 1024 at most
  std::vector<double> means;  ///< of the parameters there, in the order of the layout
  /// A position x of the unconstrained scale belongs to the mode if the sum of towards[i] x[i] is above `beyond`.
  /// Empty: no plane parts the mode from the chains. It lies all around them, more than `beyond` of their standard
  /// deviations from their mean, or, if `beyond` is infinite, is a spike in their midst.
  std::vector<double> towards;
  double beyond = 0;
  double leaves = 0;  ///< the chance of a chain there to leave in one transition, about; infinite: chains temper
};

/// A tail of the posterior that leads away from the chains along a curve, narrow across.
struct UnreachedTail {
  double share = 0;           ///< of the posterior, about
  double widens = 0;          ///< a variance, about: by so many times what it is at the chains
  double shorter = 1;         ///< the factor by which steps were shortened, so that chains come there
  bool refused = false;       ///< no step by an eighth or longer helps: steps are as they were
  double acceptance = 1;      ///< of transitions that start far out there, with these steps, or the shortest if refused
  double leaves = 1;          ///< the chance of a chain in its middle to leave in one transition, about
  bool none_left = false;     ///< it is less than that
  std::vector<double> means;  ///< the parameters in its middle, in the order of the layout
};

/// The look for modes in which no chain is, behind warm-up. All zero: none was made.
struct ModesLook {
  std::size_t points = 0;       ///< far from the chains, from which the density was climbed
  std::size_t elsewhere = 0;    ///< peaks that they led to, apart from where the chains are
  std::size_t tried = 0;        ///< of these, with a part of the posterior that matters: chains were run from there
  std::size_t joined = 0;       ///< of these, from which chains came to the others
  std::size_t evaluations = 0;  ///< of the model, in double on the host
  std::vector<MissedMode> missed;
  /// Parameters whose elements may be exchanged, all of these together, without a change of the density: looked for
  /// where chains or modes lie apart. Each is "mu, sigma, w".
  std::vector<std::string> exchangeable;
  /// For each of `exchangeable` how to put elements in order: "mu as ordered() or sigma as positive_ordered()"; or "".
  std::vector<std::string> orderable;
  std::optional<UnreachedTail> tail;  ///< one that widens a variance by a tenth; none: or it was not looked for
};

/// A mode of the posterior, apart from others, as annealing weighs it.
struct WeighedMode {
  double share = 0, error = 0;  ///< of the posterior
  std::vector<double> centre;   ///< unconstrained
  double value = 0;             ///< of the parameter at AnnealedStarts::differs, on its own scale; NaN: it has none
};

/// The findings of Starts::annealed. All zero if chains started otherwise.
struct AnnealedStarts {
  std::size_t particles = 0, temperatures = 0;
  double barrier = 0;              ///< between reference and posterior: a few are easy, 100 are not
  double log_z = 0, error = 0;     ///< of the density as the model has it, with the constants that it has
  double ess = 0;                  ///< of the particles' weights
  std::size_t evaluations = 0;     ///< of the model, in double on the host
  std::vector<WeighedMode> modes;  ///< the largest first; one alone: nothing lies apart; none: not weighed, or too many
  std::size_t differs = 0;         ///< the component by which they differ most
};

/// The findings of sampler tempering. All zero: of another sampler.
struct TemperingFound {
  std::vector<double> inverse;    ///< inverse temperatures, ascending: 0 is the reference, 1 the posterior
  std::vector<double> rejected;   ///< [pair of neighbours] the mean probability that they do not swap
  double barrier = 0;             ///< between reference and posterior: the sum of these
  std::uint64_t restarts = 0;     ///< replicas that came from the reference to the posterior, of all chains
  std::uint64_t round_trips = 0;  ///< from the reference to the posterior and back
  /// log of the integral of the model's density as it is written, with its standard error, by bridges between
  /// neighbours (Bennett 1976).
  double log_z = 0, error = 0;
  /// By stepping stones from the reference up to the posterior, and down from there: in expectation too low and too
  /// high, the latter by much where the reference is wider than the posterior.
  double log_z_up = 0, log_z_down = 0;
};

/// Wall-clock seconds.
struct Seconds {
  double total = 0, warmup = 0, sampling = 0, diagnostics = 0;
};

/// Some of the chains of a run, which a process of their own samples: `number` counts from 1.
struct RunPart {
  std::size_t number = 1, of = 1;
};

/// The rows that Result::table() shows.
struct TableOptions {
  /// The most rows; 0: all. If there are more, all scalars come first; the rest are the elements of each vector that
  /// are furthest from convergence, and a line says how many of it are left out.
  std::size_t rows = 40;
  /// These rows alone, in this order: "mu", "theta[3]", "theta" for all of its elements, or a pattern with * and ?.
  std::vector<std::string> show = {};
};

/// Warm-up: where chains started, and what the sampler is tuned to. A group of chains has a tuning of its own.
struct WarmupResult {
  std::size_t transitions = 0;                   ///< of each chain, before sampling
  std::vector<TunedGroup> tuning{TunedGroup{}};  ///< of each group of chains: at least one
  StartsFound starts;                            ///< of all groups together
  AnnealedStarts annealing;                      ///< of chains that temper, too: they start so by default
  RestartedChains restarted;                     ///< of all groups together
  Rejections rejected;                           ///< of a foreign density: while chains started, and in warm-up
  /// As Result::draws and Result::sample_stats, of Settings::output.save_warmup; empty if the run has a store, which
  /// has them. Not of the posterior: chains are on their way, and their tuning changes.
  Draws draws, sample_stats;
};

/// The sampling phase.
struct SamplingResult {
  double acceptance_rate = 0;     ///< mean over chains and transitions
  std::uint64_t divergences = 0;  ///< transitions
  Rejections rejected;            ///< of a foreign density
  bool reached_target = false;    ///< of Settings::sampling.target_ess; false without one
  bool stays_apart = false;       ///< ended before its draws: chains stay in places that they will not leave
  /// Gradients in the transition of each kept draw; a step of two stages takes two. Empty with several groups.
  std::vector<std::uint32_t> leapfrogs;
  std::vector<double> ebfmi;  ///< energy Bayesian fraction of missing information, one per chain; of HMC, else empty
  std::vector<std::size_t> divergent_chains;  ///< with at least one divergence
  std::vector<std::size_t> stuck_chains;      ///< none of the last 100 transitions moved
  std::vector<std::size_t> nonfinite_chains;  ///< whose state or one of whose outputs is not finite
  std::vector<std::size_t> outlying_chains;   ///< never came near the log density of the others
  TemperingFound tempering;
  /// Importance sampling: effective sample size of all weights together, and k-hat of their upper tail (Vehtari and
  /// others 2024). NaN: other samplers, or lp was not kept.
  double weights_ess = std::numeric_limits<double>::quiet_NaN();
  double weights_khat = std::numeric_limits<double>::quiet_NaN();
};

/// The precision of the run against double.
struct PrecisionResult {
  /// Settings::precision was automatic: Result::settings has the one chosen.
  bool chosen = false;
  PrecisionCheck check;  ///< not made in double, unless it chose that
  /// Single precision: the mean of 1 - exp(-|d|) over pairs of chains after warm-up, d the error of the difference of
  /// their log densities against double. It bounds the share of accept decisions between points of the posterior that
  /// come out differently. NaN if not computed: in double, without warm-up, or if the sampler accepts without a
  /// density; and if `unknown` is true.
  double error = std::numeric_limits<double>::quiet_NaN();
  /// Single precision sufficed at the positions of the chains, but they do not agree, so that this says nothing of the
  /// posterior.
  bool unknown = false;
  /// The share of the posterior that the run's precision cuts off, by the positions of the chains after warm-up; empty:
  /// negligible, or not checked.
  std::string beyond;
};

/// Properties of the posterior that make draws of it wrong or slow, as far as the run has found them.
struct PosteriorResult {
  /// Parameters, alone or together, along which the density has no finite integral (check/improper.hpp), whether
  /// chains agree or not.
  std::vector<std::string> improper;
  ModesLook modes;
  /// The places in which chains that disagree stay, for the quantity that shows it best: "theta[1]: 130 of 256 chains
  /// stay near -2.1, 126 near 1.9". Empty: there are none, or they cannot be told.
  std::string places;
  /// Parameters next to whose draws the log density is not finite: "theta (below 3.02)". Searched for if a run has
  /// divergences or has not converged.
  std::vector<std::string> edges;
  /// "tau (by 2.3)": parameters across whose values the log density jumps between the chains, and by how much at one of
  /// them. Searched for if a run of trajectories has not converged, and its chains hardly move.
  std::vector<std::string> jumps;
  /// Scales depend on parameters, and the model has no kernels whose masses follow them.
  bool without_leaves = false;
  /// Parameters (unconstrained) in the scale of others whose draws end before the density does, by the gradients there:
  /// chains stop above a neck that the density goes on into (sampling/necks.hpp). Not looked at where draws come from
  /// fewer than 32 chains, or the density is compiled elsewhere.
  std::vector<std::string> missed_necks;
  /// "x[3], by 6.2 standard errors": parameters whose first draws are distributed differently from later ones, in a run
  /// that nothing else denies to be converged. Not looked at where draws are not kept, or chains are fewer than 32.
  std::vector<std::string> drifts;
  /// The derivative along a line "8.85 by the gradient and 0.38 by differences of the density (6 of 6 lines)": the
  /// gradient is wrong (check/wrong_gradient.hpp). Looked at where chains are at the end, of samplers that take one.
  std::string wrong_gradient;
  /// "126 of 256 chains stay at log densities 22 or more below the highest of all others": starting points led to
  /// places of different height, and these chains do not go up (diagnostics/low_chains.hpp). Looked at in runs that
  /// look for modes, if one has not converged and its chains stay in no places that can be told.
  std::string low_chains;
};

/// Draws in other places than Result::draws, and the log likelihoods that were computed from them.
struct OutputResult {
  DeviceDraws device_draws;  ///< of Settings::output.keep_on_device; else empty
  /// The store of the run has the draws and their statistics, which were too many for memory (`kept` of each chain).
  bool draws_in_store = false;
  /// In a run in ranks whose draws are not all at each of them (DrawsAt): the chains that `draws`, `sample_stats` and
  /// `log_likelihood` have here. The summary and all else are of all chains.
  std::optional<HeldChains> held;
  /// Pointwise log likelihoods, if Settings::output.log_likelihood asks for them: of the rows of layout.observed, one
  /// observe() after another. Computed in double from the draws, on the host, and rounded to their precision.
  Draws log_likelihood;
  /// The draws of these log likelihoods: ascending, counted from 0.
  std::vector<std::size_t> log_likelihood_draws;
  /// Why a run that was not cancelled has none although the settings ask for them: verdict() warns. Else empty.
  std::string no_log_likelihood;
};

struct Result {
  std::string model;
  Settings settings;    ///< as used: every default filled in
  SamplerInfo sampler;  ///< of settings.sampler, which the model may have brought
  std::string backend;  ///< "cpu" or "cuda"
  std::string device;   ///< "8 threads, avx512 (16 lanes)" or the GPU's name, with its number where there are several
  /// Backend::automatic on the CPU: why no GPU was used. Empty if one was, or if the settings name a backend.
  std::string no_gpu;
  bool gpu_present = false;  ///< a GPU is there, but was turned down (no_gpu); the table says so
  std::string one_thread;    ///< why only one thread evaluated the model; empty: no such limit
  Layout layout;
  /// The data that the model was bound to; null if it has none that have names.
  std::shared_ptr<const Data> data;

  Draws draws;         ///< of layout.outputs variables; empty if not kept, in a store alone, or not held here
  Draws sample_stats;  ///< of sample_stat_count variables; empty if not kept
  std::vector<SummaryRow> summary;  ///< one per scalar output, in order
  std::size_t not_summarised = 0;   ///< rows at the end of `summary` that a cancelled run did not compute: all NaN
  std::size_t kept = 0;             ///< draws of each chain in the summary

  WarmupResult warmup;
  SamplingResult sampling;
  PrecisionResult precision;
  PosteriorResult posterior;
  OutputResult output;

  std::uint64_t gradients = 0;  ///< evaluations, all chains, warm-up included
  bool cancelled = false;
  /// The draws are those of some chains, which are not judged before those of the others have joined them: there is no
  /// summary.
  std::optional<RunPart> part;
  /// Every R-hat < 1.01 (with superchains: nested R-hat, and R-hat does not decide), every bulk ESS > 400 (of a run so
  /// short that it is at its limit: the ESS of the mean), no chain stuck, outlying or non-finite.
  bool converged = false;
  Seconds seconds;

  /// Says whether the run has converged, what is wrong with it, and what to do. The file of its draws gives the same.
  diagnostics::Verdict verdict() const;
  /// Why `converged` is false, worst first: the failures of verdict(). Empty when it is true.
  std::vector<std::string> problems() const;
  /// The summary as a table for a terminal, with a verdict as its first line. Advice names settings as
  /// "Settings::sampling.draws". Throws BadInput for a name to show that does not exist.
  std::string table(const TableOptions& options = {}) const;
};

}  // namespace manychain
