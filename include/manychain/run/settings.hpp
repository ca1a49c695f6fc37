// The settings of a run, with their defaults.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "manychain/samplers/tuning.hpp"

namespace manychain {

/// automatic: a CUDA device if the model has code for it and there is one, else the CPU. A run turns to the CPU while
/// its engine is made and its chains are put at their starting points, never later: a crash on the device is not
/// hidden.
enum class Backend { automatic, cpu, cuda };
/// automatic: single, unless a check at the posterior before warm-up finds it insufficient (PrecisionCheck); double for
/// a compiled density.
enum class Precision { automatic, single_precision, double_precision };

/// Progress of a run, handed to Settings::progress between blocks of transitions.
struct Progress {
  const char* phase = "";       ///< "warmup", "sampling" or "diagnostics"
  std::size_t transitions = 0;  ///< done, warm-up included
  std::size_t total = 0;        ///< to be done, warm-up included
  std::size_t chains = 0;
  std::size_t stuck_chains = 0;  ///< at this moment
  std::size_t divergences = 0;   ///< so far, of the phase
  double acceptance_rate = 0;    ///< mean over chains and over the transitions of the phase so far
  double step_size = 0;
  double seconds = 0;                 ///< since the run began
  double transitions_per_second = 0;  ///< of all chains together
  std::size_t draws = 0;              ///< of each chain, so far
  /// The largest R-hat of all quantities (nested, where there are superchains) at the last look at the draws, which a
  /// run with Settings::sampling.target_ess takes now and then. 0: there was none.
  double largest_rhat = 0;
};

/// Starting points of chains. pathfinder: draws from normal approximations, each found by a path of a quasi-Newton
/// method from one of up to 16 uniform points (Zhang and others 2022), and of as many farther out if half of them find
/// nothing. automatic: pathfinder, if warm-up adapts a sampler with gradients; chains that temper start where an
/// annealing from their reference ends.
/// annealed: particles go from normals at the modes that paths find to the posterior by temperatures, and chains start
/// where they end, drawn by their weights: in modes that lie apart by the share of each. Result::warmup.annealing has
/// those shares. For a posterior of several modes; without superchains, unless they are asked for.
enum class Starts { automatic, uniform, pathfinder, annealed };

/// End of warm-up. fixed: after WarmupSettings::transitions. settled: once the metrics of two successive windows
/// agree, chains have forgotten where their superchains started, as far as that shows, and none strays or is stuck;
/// then a last tenth of Settings::warmup.transitions tunes the step size. It is no longer than fixed, except by up to
/// 40 transitions if some chains are stuck. If a gradient is expensive (see Settings::chains), a warm-up of a third of
/// that length comes first, and suffices if it settles. arrived: like fixed, but while the last window shows chains
/// that drift or stay apart another one follows, half longer than the last, two to four. If many transitions of the
/// last window diverged and the acceptance rate to aim for is the default, the step size is refined for 0.98, in four
/// times as many transitions, and is made shorter by a third.
enum class WarmupEnd { fixed, settled, arrived };

/// Warm-up: starting points, its length, and how it tunes the sampler.
struct WarmupSettings {
  /// Transitions of each chain before the first draw is kept. Default: 300, or fewer (see `end`).
  std::optional<std::size_t> transitions;
  /// Default, if `transitions` is not given either and something is tuned: settled if there are superchains; arrived if
  /// there are none, of samplers with a metric and fewer than 64 chains. Else fixed.
  std::optional<WarmupEnd> end;
  Starts starts = Starts::automatic;
  /// Uniform points lie between -initial_radius and initial_radius on the unconstrained scale; 100 tries a chain or
  /// more.
  double initial_radius = 2;
  /// Starting points on the unconstrained scale, [dimension][chain], in place of `starts`. With superchains those of
  /// chain c must be those of chain c mod `superchains`. See set_initial_points().
  std::vector<double> initial_points;
  std::string adaptation = "windowed";  ///< of all_adaptations(): how warm-up tunes the sampler
  std::size_t adaptation_interval = 1;  ///< transitions between two updates of the step size
  /// Acceptance rate that warm-up aims for. Default: 0.85 for HMC (a harmonic mean over
  /// chains: 0.88 of the plain one), 0.574 for MALA, 0.234 for Metropolis (0.44 in one
  /// dimension, and one component at a time), 0.651 where ChEES adapts, 0.8 where SNAPER does.
  std::optional<double> target_acceptance;
};

/// Sampling: how many draws, and what is given to the sampler instead of tuned.
struct SamplingSettings {
  /// Draws kept of each chain. Default: as many as target_ess takes, at most 409 600 of all chains together and 5e8
  /// numbers, but at most 1600 and at least 100 of each.
  std::optional<std::size_t> draws;
  std::size_t thin = 1;  ///< transitions between two kept draws
  /// Given: sampling ends as soon as every quantity has a bulk and a tail ESS of so much, and of 3 for each chain, and
  /// an R-hat below its limit (with superchains: nested R-hat). This is checked after 20, 40, 80, ... draws of each
  /// chain (20, 30, 45, ... if a gradient is expensive), up to `draws`; the checks depend on no clock. Needs draws that
  /// are kept. Default: 400 if `draws` is not given, the draws are kept and the sampler is a chain that leaves its
  /// target invariant; else none.
  std::optional<double> target_ess;
  /// Given: the step size (HMC), step eps (Langevin) or proposal scale (Metropolis) of every transition, and nothing is
  /// adapted.
  std::optional<double> step_size;
  /// HMC: the longest integration time of a trajectory, in units of the whitened scale. Default: 2.8.
  std::optional<double> trajectory;
  /// SGLD: steps a (b + t)^-gamma, t the number of the transition. Their sum must be infinite and that of their squares
  /// finite: 1/2 < gamma <= 1; or gamma = 0, a constant step (Welling and Teh 2011, eq. 2).
  std::optional<StepSchedule> schedule;
  std::size_t minibatch = 0;  ///< SGLD: data terms of each gradient, drawn with replacement, each chain its own; 0: all
  /// HMC: the integrator of Hamilton's equations. Default: from 20 dimensions on by a trial in warm-up; else leapfrog.
  std::optional<Integrator> integrator;
  /// HMC: the directions of the metric beside the scales of components. automatic: those that shorten trajectories by
  /// more than they cost, and masses that follow other parameters if the kernels have them (on a CPU all do) and a
  /// trial favours them (MetricKind).
  MetricKind metric = MetricKind::automatic;
  std::size_t max_leapfrogs = 1000;  ///< of one trajectory
};

/// The draws and statistics that the result of a run has.
struct OutputSettings {
  bool keep_draws = true;         ///< false: only streaming diagnostics
  bool keep_sample_stats = true;  ///< keep lp, acceptance rate, energy and divergence of every kept draw
  /// Keep the draws of warm-up and their statistics, too: after every thin-th transition, in groups of their own of a
  /// store, else in Result::warmup.draws. The draws behind warm-up are the same without.
  bool save_warmup = false;
  /// Keep the draws on the CUDA device, too: Result::output.device_draws. BadInput where the run is on no device, or on
  /// several, keeps no draws or stores them.
  bool keep_on_device = false;
  /// Draws of each chain, evenly spread over the kept ones, whose pointwise log likelihoods are kept: one number for
  /// each row of the model's observe(). 0: none. The number of draws, or more: all. See Result::output.log_likelihood.
  std::size_t log_likelihood = 0;
};

/// The settings of a run. A run is a function of (model, data, settings, seed): threads and progress change no draw.
struct Settings {
  std::string sampler = "hmc";  ///< of all_samplers(), or one that the model brings
  /// 0: by the cost of a gradient, known when data are bound, or as many as there are initial_points. 256 if a gradient
  /// reads up to 2^18 numbers (data, position, intermediates); 128, 64 and 32 if it reads more, halved at each
  /// doubling; 32 for a foreign density of unknown cost. On a CUDA device as many as fill it.
  std::size_t chains = 0;
  /// Superchains: chain c starts where chain c mod `superchains` does, and nested R-hat judges whether chains have
  /// forgotten their starts. 0: every chain has a start of its own. Default: 16 of 64 chains or more, 8 of the 32
  /// chains that `chains` = 0 may be, unless initial_points are given or starts are annealed. The remainder decides, so
  /// that a chain starts at the same point whatever the number of chains. In several groups chains are counted within
  /// each, and nested R-hat takes chains c mod K of all groups as one superchain, which then has a starting point for
  /// each group; that groups agree is judged by the nested R-hat of groups, each as one superchain.
  std::optional<std::size_t> superchains;
  /// Groups of consecutive chains, equal in size, that are tuned separately: each has a step size, scales, a trajectory
  /// length and superchains of its own. If there are several, each has a multiple of 64 chains. A run of four groups is
  /// four runs of the same chains, bit by bit. Four things are for all groups together: warm-up that ends when tuning
  /// has settled, transitions that free stuck chains or try masses that depend on position, and sampling that ends at a
  /// target.
  std::size_t groups = 1;
  /// The number of the first chain: a run of chains 100 to 199 is a part of one of chains 0 to 199 with the same
  /// tuning, without superchains. Those are counted from the first chain of the run, and so are their starting points.
  std::uint64_t first_chain = 0;
  std::uint64_t seed = 0;

  WarmupSettings warmup;
  SamplingSettings sampling;
  OutputSettings output;

  Backend backend = Backend::automatic;
  Precision precision = Precision::automatic;
  /// CUDA device, numbered as CUDA does: from 0, among those that CUDA_VISIBLE_DEVICES leaves. Default: the current one
  /// of the calling thread, which is the first unless the program has chosen another.
  std::optional<int> device;
  /// CUDA devices of one kind that share the chains, each with a range of them: "all", or numbers, "0,1". How many they
  /// are changes no draw. Empty: one, `device`.
  std::string devices;
  int threads = 0;                     ///< CPU threads; 0: all there are
  bool scalar = false;                 ///< CPU: one chain per lane of width one, to measure the gain by packs
  std::size_t blocks_per_second = 20;  ///< about how often the host regains control from the chains
  /// Seconds after which sampling ends as if it had been cancelled: at the next block of transitions, with the draws
  /// until then. Diagnostics come after them. Default: no limit.
  std::optional<double> time_limit;

  std::function<void(const Progress&)> progress;  ///< called between blocks; may be empty
  /// When it becomes true, the run ends at the next block of transitions and summarises the draws until then; in the
  /// diagnostics it ends at once and leaves the rest of the summary NaN. If it is true before the diagnostics, it does
  /// not end them, unless `progress` sets it back during them and it becomes true again.
  const std::atomic<bool>* cancel = nullptr;

  /// Throws BadInput with the setting's name, its value and what is allowed.
  void validate() const;
};

}  // namespace manychain
