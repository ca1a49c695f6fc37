#include "run/choose_sampler.hpp"

#include "manychain/core/error.hpp"
#include "manychain/run/program.hpp"

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
  const bool anew = sampler.name == "independence" || sampler.name == "importance" || sampler.name == "rejection";
  for (std::size_t i = 0; anew && i < layout.dimension; ++i)
    if (!layout.proposed[i])
      return "draws everything anew, but the proposal of " + name + " does not name " + layout.unconstrained_names[i];
  for (std::size_t i = 0; sampler.name == "metropolis_hastings" && i < layout.dimension; ++i)
    if (!layout.proposed[i])
      return "never moves " + layout.unconstrained_names[i] + ", which the proposal of " + name + " does not name";
  if (!gives.conditionals) return "";
  // What is left to full conditionals must have them: nothing else would move it.
  const bool beside_hmc = sampler.name == "hmc+gibbs";
  const bool all = sampler.name == "gibbs" || sampler.name == "random_scan_gibbs" || sampler.name == "parallel_gibbs" ||
                   sampler.name == "single_component";
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
    if (unsuited(model, sampler).empty()) words += (words.empty() ? "" : ", ") + sampler.name;
  return words.empty() ? "none: it gives nothing to sample by" : words;
}

}  // namespace

SamplerInfo choose_sampler(const Model& model, Settings& settings) {
  const std::string& name = settings.sampler;
  const SamplerInfo* const known = find_sampler(name);
  SamplerInfo sampler =
      known ? *known : SamplerInfo{name, "", {}};  // one that the model brings: nothing of it is tuned
  if (const std::string reason = unsuited(model, sampler); !reason.empty())
    throw BadInput("sampler " + name + " " + reason + ": take Settings::sampler " + suitable(model));
  if (name == "ula" && !model.bound().gives.density && !settings.step_size)
    throw BadInput(
        "sampler ula: a score without a density has no acceptance rate to tune by; give Settings::step_size");
  if (name == "sgld" && !settings.schedule) {
    if (!settings.step_size)
      throw BadInput(
          "sampler sgld: give its steps a (b + t)^-gamma by Settings::schedule (a, b, gamma), or a constant "
          "Settings::step_size");
    settings.schedule = StepSchedule{*settings.step_size, 1, 0};
  }
  return sampler;
}

}  // namespace manychain
