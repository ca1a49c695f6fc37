// The samplers by name, as the host sees them: what they need of a model, and what warm-up does for them.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace manychain {

/// What a model gives beside its parameters.
struct Capabilities {
  bool density = true;
  bool gradient = true;
  bool conditionals = false;          ///< full conditionals
  bool proposal = false;              ///< of Metropolis-Hastings
  bool independent_proposal = false;  ///< that does not look at the state
  bool envelope = false;              ///< log M of rejection sampling
  bool draws = false;                 ///< of its own
  bool terms = false;                 ///< data terms that may be subsampled
};

using Capability = bool Capabilities::*;

struct SamplerInfo {
  std::string name;
  std::string description;
  std::array<Capability, 3> needs;  ///< null where fewer
  bool tuned = false;               ///< warm-up adapts a step size, and the scales of components
  double target_acceptance = 0;     ///< that warm-up aims for
  bool continuous = false;          ///< moves every component by real numbers: no integers in the state
  bool trajectory = false;          ///< of leapfrogs
  bool exact = true;                ///< leaves its target invariant
  bool chain = true;                ///< false: every draw is independent of the one before
  bool schedule = false;            ///< takes steps from Settings::schedule, and minibatches
};

/// All that are built in, in the order of the documentation.
const std::vector<SamplerInfo>& all_samplers();
/// Null if there is none of that name: a model may have brought one.
const SamplerInfo* find_sampler(const std::string& name);
/// Why a model with these capabilities cannot be sampled by it, for example "full conditionals (a member
/// conditionals())"; empty if nothing is missing.
std::string missing_for(const SamplerInfo& sampler, const Capabilities& model);

}  // namespace manychain
