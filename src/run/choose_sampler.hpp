// Which sampler a run takes, and whether the model gives what it needs.
#pragma once

#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

/// The sampler that the settings name. A constant step of SGLD becomes a schedule in the settings. Throws BadInput,
/// with the samplers that suit the model, where this one does not.
SamplerInfo choose_sampler(const Model& model, Settings& settings);

}  // namespace manychain
