// What a run is where the settings do not say it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

inline constexpr std::size_t default_warmup = 300;
// 16 starting points: nested R-hat is good to sqrt(2 / 15) = 37 %, and with 64 chains each has four.
inline constexpr std::size_t default_superchains = 16, superchains_from = 64;
inline constexpr double default_target_ess = 400;  // Vehtari and others 2021: what R-hat and quantiles need

/// Of each chain, where nothing is said: many chains hold no more memory than few.
inline std::size_t most_draws(std::size_t chains) { return std::clamp<std::size_t>(409'600 / chains, 100, 1600); }

/// Fills in what follows from the model and the other settings: superchains, how long warm-up and sampling are, the
/// precision of a model that has only one; and returns the sampler. Settings that it has filled in stay as they are.
/// Throws BadInput as choose_sampler() and require_log_likelihood(), and where the model has no parameters, or too
/// many.
SamplerInfo complete(const Model& model, Settings& settings);

}  // namespace manychain
