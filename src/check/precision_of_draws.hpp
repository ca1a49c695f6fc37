// Checks single precision for samplers that accept without the density: Gibbs, and draws of the model's own. A short
// run in double shows where the quantities lie, and one in single whether it draws them there.
#pragma once

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

/// True if the check applies: the sampler draws from distributions of the model, tunes nothing, and the model has both
/// precisions and no more quantities than a short run can keep.
bool can_compare_draws(const Model& model, const SamplerInfo& sampler);

/// Looks at a few draws of a few chains on the CPU. Single precision is not enough if its rounding is more than a
/// thousandth of the sd of a quantity, or if it draws a quantity elsewhere: by more than a tenth of the sd, and more
/// than chance. A function of model, data, sampler and starting radius (or the first starting points that are given);
/// the seed does not matter. `settings`: complete.
PrecisionCheck compare_precisions_of_draws(const Model& model, const Settings& settings);

}  // namespace manychain
