// Modes of the posterior that hold no chain of a run: the look for them behind warm-up, the proof, the words.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/info.hpp"
#include "warmup/tuned_groups.hpp"

namespace manychain {

/// True if a run looks for modes: its warm-up adapts a sampler with gradients that leaves its target invariant, or
/// replicas temper, and nobody has said where chains start.
bool looks_for_modes(const Model& model, const Settings& settings, const SamplerInfo& sampler);

struct BehindWarmup {
  const Engine& engine;
  const FrozenTuning& tuned;
  const std::vector<double>& left;  ///< [point][dimension] where chains stood that were restarted
  std::uint64_t gradients = 0;      ///< of the run so far
  bool given_trajectory = false;    ///< Settings::sampling.trajectory was given
  /// Log of the integral of the density, three of its standard errors above its estimate, of chains that temper; NaN:
  /// of others.
  double log_z = std::numeric_limits<double>::quiet_NaN();
  bool trajectories = false;  ///< chains move by them
};

/// Looks for modes (modes/look.hpp) that have more than 0.5 % of the posterior and fewer than 5 % of all chains. A
/// mode counts if most of 32 chains that start there stay there: in a run of their own, with a warm-up and the sampler
/// of the run. Chains that temper come and go: they lack a normal mode if less than a third of those that its share
/// asks for are there, six at least. Touches no chain and no random number of the run.
ModesLook look_for_missed_modes(const Model& model, const Settings& settings, const BehindWarmup& run);

/// As BehindWarmup has it.
inline double highest_log_z(double log_z, double error) { return log_z + 3 * error; }

/// Shares of modes that chains which temper have missed, once the integral is known better: its logarithm, as
/// highest_log_z() has it, is larger by `more`.
void weigh_missed_again(ModesLook& look, std::size_t chains, double more);

/// Leaves out modes that as many chains as above stand at, if chains come and go so often that `transitions` of each
/// tell the modes' weights. Chains that only started there do not.
void leave_out_visited(ModesLook& look, const Engine& engine, const Settings& settings, std::size_t transitions);

/// The parameters at an unconstrained position, in the order of the layout.
std::vector<double> parameters_at(const Model& model, const std::vector<double>& position, std::uint64_t seed);
/// " near mu[1] = 5.02, 10 sds from its draws (-4.98 +- 1)": the parameter that differs most from its draws.
std::string farthest_from_draws(const Result& result, const std::vector<double>& parameters);

/// A text for each mode that was missed: "30 % of the posterior near mu[1] = 5.02, 10 sds from its draws (-4.98 +- 1)".
/// The quantity is the parameter that differs most.
std::vector<std::string> missed_modes_in_words(const Result& result);

}  // namespace manychain
