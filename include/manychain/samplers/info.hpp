// The host's knowledge of a sampler: one constant in the sampler's own class. Every table of samplers is made from
// these.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace manychain {

/// The capabilities of a model: what it gives beside its parameters.
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

/// The source of the variates of a transition: distributions of the model, whose random words are counted before a run.
enum class DrawsFrom {
  itself,                  ///< a known number of normals and uniforms
  conditionals,            ///< each full conditional once
  conditionals_at_random,  ///< as many full conditionals as there are, any of them
  proposal,
  model,      ///< draws of its own
  components  ///< a normal and a uniform for each component
};

struct SamplerInfo {
  const char* name = "";
  const char* description = "";
  std::array<Capability, 8> needs = {};  ///< null where fewer
  bool tuned = false;                    ///< warm-up adapts a step size, and the scales of components
  double target_acceptance = 0;          ///< that warm-up aims for
  double target_acceptance_1d = 0;       ///< in one dimension; 0: the same
  /// The step size that warm-up begins with, of a model of that dimension; null: 1.
  double (*first_step)(double dimension) = nullptr;
  bool continuous = false;  ///< moves every component by real numbers: no integers in the state
  bool trajectory = false;  ///< of leapfrogs
  bool directions = false;  ///< takes a metric with directions, and either integrator (samplers/integrator.hpp)
  /// transition() tells the proposal and its momentum, first_momentum() the one it began with (samplers/hmc.hpp):
  /// adaptations may look at them.
  bool shows_proposal = false;
  bool energy = false;          ///< keeps a Hamiltonian from draw to draw: E-BFMI is defined
  bool exact = true;            ///< leaves its target invariant
  bool chain = true;            ///< false: every draw is independent of the one before
  bool always_accepts = false;  ///< never stays where it is
  bool schedule = false;        ///< takes steps from Settings::sampling.schedule, and minibatches
  /// Components that have a full conditional are moved by it: gradients move the others alone.
  bool leaves_conditionals = false;
  bool accepts_by_conditionals = false;  ///< where a model gives them, in place of its density
  bool ladder = false;                   ///< a chain has replicas at several temperatures (samplers/ladder.hpp)
  bool brings_adaptations = false;       ///< has a list Adaptations of its own
  /// For chains on clocks of their own (samplers/clock.hpp): the steps that a transition of a model of that dimension
  /// takes at most, and the random words of a step.
  std::uint64_t (*most_steps)(std::size_t dimension) = nullptr;
  std::uint32_t words_per_step = 0;
  DrawsFrom draws_from = DrawsFrom::itself;
  std::array<DrawsFrom, 5> parts_draw_from = {};  ///< of samplers put together: other sources of their parts

  constexpr bool draws_variates_from(DrawsFrom source) const {
    for (const DrawsFrom other : parts_draw_from)
      if (other == source) return true;
    return draws_from == source;
  }
  constexpr bool needs_capability(Capability member) const {
    for (const Capability need : needs)
      if (need == member) return true;
    return false;
  }
  /// True if a model that gives this has all that is needed.
  constexpr bool fits(const Capabilities& model) const {
    for (const Capability need : needs)
      if (need != nullptr && !(model.*need)) return false;
    return true;
  }
};

/// True of samplers that evaluate the whole density at each step: terms may be dealt to the threads of a chain. Single
/// components are accepted by full conditionals where a model gives these.
constexpr bool moves_by_density(const SamplerInfo& sampler, bool conditionals) {
  return !sampler.draws_variates_from(DrawsFrom::conditionals) &&
         !sampler.draws_variates_from(DrawsFrom::conditionals_at_random) &&
         !sampler.draws_variates_from(DrawsFrom::model) &&
         !(conditionals && sampler.draws_variates_from(DrawsFrom::components));
}

/// A field of the state (samplers/state.hpp) as the host sees it: `rows` rows of all chains, one after another.
struct FieldInfo {
  std::string name;
  std::int64_t rows;
};

/// A state has no more fields, and no more is counted beside it.
inline constexpr int most_fields = 8;

/// All that are built in, in the order of the documentation.
const std::vector<SamplerInfo>& all_samplers();
/// Null if there is none of that name: a model may have brought one.
const SamplerInfo* find_sampler(const std::string& name);
/// Why a model with these capabilities cannot be sampled by it, for example "full conditionals (a member
/// conditionals())"; empty if nothing is missing.
std::string missing_for(const SamplerInfo& sampler, const Capabilities& model);

}  // namespace manychain
