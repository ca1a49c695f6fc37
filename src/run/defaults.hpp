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

/// Of each chain, where nothing is said: many chains hold no more memory than few, and of many outputs, 10 000 say, no
/// more is asked for than 5e8 numbers, 4 GB in double precision, while that leaves 100 draws.
inline std::size_t most_draws(std::size_t chains, std::size_t outputs = 1) {
  const std::size_t held = 500'000'000 / (chains * std::max<std::size_t>(outputs, 1));
  return std::clamp<std::size_t>(std::min(409'600 / chains, held), 100, 1600);
}

/// Fills in what follows from the model and the other settings: superchains, how long warm-up and sampling are, the
/// precision of a model that has only one; and returns the sampler. Settings that it has filled in stay as they are.
/// Throws BadInput as choose_sampler() and require_log_likelihood(), and where the model has no parameters, or too
/// many.
SamplerInfo complete(const Model& model, Settings& settings);

}  // namespace manychain
