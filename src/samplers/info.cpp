#include "manychain/samplers/info.hpp"

#include <algorithm>

#include "manychain/samplers/list.hpp"

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

template <class... S>
std::vector<SamplerInfo> infos(SamplerList<S...>) {
  return {S::info...};
}
}  // namespace

const std::vector<SamplerInfo>& all_samplers() {
  static const std::vector<SamplerInfo> samplers = infos(AllSamplers{});
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
