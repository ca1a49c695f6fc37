#include "run/choose_sampler.hpp"

#include <fmt/format.h>

#include "manychain/adaptation/list.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "run/setting_table.hpp"

namespace manychain {
namespace {

/// Why the sampler is none for the model; empty if it is one.
std::string unsuited(const Model& model, const SamplerInfo& sampler) {
  const Capabilities& gives = model.bound().gives;
  const Layout& layout = model.layout();
  const std::string name = "model " + model.name();
  if (const std::string missing = missing_for(sampler, gives); !missing.empty())
    return "needs " + missing + ", which " + name + " does not give";
  if (sampler.continuous && layout.integers) return "moves by real numbers, but " + name + " has integers in its state";
  const bool anew = sampler.needs_capability(&Capabilities::independent_proposal);
  for (std::size_t i = 0; anew && i < layout.dimension; ++i)
    if (!layout.proposed[i])
      return "draws everything anew, but the proposal of " + name + " does not name " + layout.unconstrained_names[i];
  for (std::size_t i = 0; sampler.needs_capability(&Capabilities::proposal) && i < layout.dimension; ++i)
    if (!layout.proposed[i])
      return "never moves " + layout.unconstrained_names[i] + ", which the proposal of " + name + " does not name";
  if (!gives.conditionals) return "";
  // Components left to full conditionals must have them: nothing else would move them.
  const bool beside_hmc = sampler.leaves_conditionals;
  const bool all =
      sampler.accepts_by_conditionals || (sampler.needs_capability(&Capabilities::conditionals) && !beside_hmc);
  bool by_hmc = false;
  for (std::size_t i = 0; i < layout.dimension; ++i) {
    if (layout.conditional[i]) continue;
    by_hmc = true;
    if (all || (beside_hmc && layout.integer[i]))
      return "moves " + layout.unconstrained_names[i] + " by its full conditional, which " + name + " does not give";
  }
  if (beside_hmc && !by_hmc) return "finds nothing for HMC: " + name + " gives all full conditionals";
  return "";
}

std::string suitable(const Model& model) {
  std::string words;
  for (const SamplerInfo& sampler : all_samplers())
    if (unsuited(model, sampler).empty()) words += std::string(words.empty() ? "" : ", ") + sampler.name;
  return words.empty() ? "none: it gives nothing to sample by" : words;
}

void choose_adaptation(const SamplerInfo& sampler, const Settings& settings) {
  std::string names;
  for (const AdaptationInfo& adaptation : all_adaptations()) {
    names += (names.empty() ? "" : ", ") + std::string(adaptation.name);
    if (settings.warmup.adaptation != adaptation.name) continue;
    if (adaptation.trajectory && !(sampler.trajectory && sampler.shows_proposal))
      throw BadInput("Settings::warmup.adaptation: " + settings.warmup.adaptation +
                     " tunes the length of trajectories; take Settings::sampler hmc");
    return;
  }
  if (!sampler.brings_adaptations)
    throw BadInput("Settings::warmup.adaptation: there is no " + settings.warmup.adaptation + "; there are " + names);
}

}  // namespace

void require_own_settings(const SamplerInfo& sampler, const Settings& settings) {
  for_each_setting([&](const auto& row) {
    if (!row.only || !row.given(settings) || sampler.*row.only) return;
    std::vector<std::string> others;
    for (const SamplerInfo& other : all_samplers())
      if (other.*row.only) others.push_back(other.name);
    throw BadInput(fmt::format("Settings::{}: sampler {} has none; leave it out, or take sampler {}", row.path,
                               settings.sampler, fmt::join(others, " or ")));
  });
}

SamplerInfo choose_sampler(const Model& model, const Settings& settings) {
  const std::string& name = settings.sampler;
  const SamplerInfo* const known = model.bound().sampler(name);
  const SamplerInfo sampler = known ? *known : SamplerInfo{};
  if (const std::string reason = unsuited(model, sampler); !reason.empty())
    throw BadInput("sampler " + name + " " + reason + ": take Settings::sampler " + suitable(model));
  if (sampler.tuned && !model.bound().gives.density && !settings.sampling.step_size)
    throw BadInput("sampler " + name +
                   ": a score without a density has no acceptance rate to tune by; give Settings::sampling.step_size");
  choose_adaptation(sampler, settings);
  if (sampler.ladder && settings.groups > 1)
    throw BadInput("Settings::groups: chains of sampler " + name +
                   " have their temperatures in common; take one group");
  if (sampler.ladder && settings.sampling.step_size)
    throw BadInput("Settings::sampling.step_size: sampler " + name +
                   " has a step size at each temperature, which warm-up finds; "
                   "leave it out");
  if (known) require_own_settings(sampler, settings);
  if (sampler.schedule && !settings.sampling.schedule && !settings.sampling.step_size)
    throw BadInput("sampler " + name +
                   ": give its steps a (b + t)^-gamma by Settings::sampling.schedule (a, b, gamma), or a constant "
                   "Settings::sampling.step_size");
  return sampler;
}

}  // namespace manychain
