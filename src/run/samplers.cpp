#include "manychain/run/samplers.hpp"

#include <algorithm>

namespace manychain {
namespace {
using C = Capabilities;

struct Need {
  Capability member;
  const char* words;
};
const Need needs[] = {
    {&C::density, "a log density"},
    {&C::gradient, "a gradient"},
    {&C::conditionals, "full conditionals (a member conditionals())"},
    {&C::proposal, "a proposal (a member proposal())"},
    {&C::independent_proposal, "a proposal that does not look at the state (independent_proposal = true)"},
    {&C::envelope, "an envelope (a member log_envelope())"},
    {&C::draws, "draws of its own (a member draw())"},
    {&C::terms, "data terms that may be subsampled (minibatches = true)"}};
}  // namespace

const std::vector<SamplerInfo>& all_samplers() {
  static const std::vector<SamplerInfo> samplers = {
      {"hmc", "Hamiltonian Monte Carlo", {&C::density, &C::gradient}, true, 0.85, true, true},
      {"mala", "Metropolis-adjusted Langevin", {&C::density, &C::gradient}, true, 0.574, true},
      {"metropolis", "random-walk Metropolis", {&C::density}, true, 0.234, true},
      {"single_component", "Metropolis, one component after another", {&C::density}, true, 0.44, true},
      {"metropolis_hastings", "Metropolis-Hastings with the model's proposal", {&C::density, &C::proposal}},
      {"independence", "Metropolis-Hastings with an independent proposal", {&C::density, &C::independent_proposal}},
      {"gibbs", "Gibbs, systematic scan", {&C::conditionals}},
      {"random_scan_gibbs", "Gibbs, random scan", {&C::conditionals}},
      {"parallel_gibbs", "all conditionals at once, corrected", {&C::density, &C::conditionals}},
      {"hmc+gibbs",
       "HMC, then Gibbs on what has conditionals",
       {&C::density, &C::gradient, &C::conditionals},
       true,
       0.85,
       false,
       true},
      {"ula", "unadjusted Langevin: biased", {&C::gradient}, true, 0.9, true, false, false},
      {"sgld",
       "stochastic gradient Langevin: biased",
       {&C::density, &C::gradient, &C::terms},
       false,
       0,
       true,
       false,
       false,
       true,
       true},
      {"direct", "the model's own draws", {&C::draws}, false, 0, false, false, true, false},
      {"importance",
       "weighted draws of the proposal",
       {&C::density, &C::independent_proposal},
       false,
       0,
       false,
       false,
       false,
       false},
      {"rejection",
       "rejection sampling",
       {&C::density, &C::independent_proposal, &C::envelope},
       false,
       0,
       false,
       false,
       true,
       false}};
  return samplers;
}

const SamplerInfo* find_sampler(const std::string& name) {
  const auto& samplers = all_samplers();
  const auto found = std::find_if(samplers.begin(), samplers.end(), [&](const auto& s) { return s.name == name; });
  return found == samplers.end() ? nullptr : &*found;
}

std::string missing_for(const SamplerInfo& sampler, const Capabilities& model) {
  for (const Capability member : sampler.needs) {
    if (!member || model.*member) continue;
    for (const Need& need : needs)
      if (need.member == member) return need.words;
  }
  return "";
}

}  // namespace manychain
