// Which sampler a run takes, and whether the model gives what it needs.
#pragma once

#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

/// The sampler that the settings name. Throws BadInput, with the samplers that suit the model, where this one does not.
SamplerInfo choose_sampler(const Model& model, const Settings& settings);

/// Throws BadInput if a setting of other samplers is given to this one: a schedule, a metric, an acceptance rate to aim
/// for.
void require_own_settings(const SamplerInfo& sampler, const Settings& settings);

}  // namespace manychain
