// The defaults of a run, where the settings do not say it. Settings that are given are kept. No default depends on a
// clock. bench/defaults.py makes the table by which defaults are chosen.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

inline constexpr std::size_t default_warmup = 300;
// 16 starting points: nested R-hat is good to sqrt(2 / 15) = 37 %, and with 64 chains each has four.
inline constexpr std::size_t default_superchains = 16, superchains_from = 64;
inline constexpr double default_target_ess = 400;  // Vehtari and others 2021: what R-hat and quantiles need

// 256 chains take some 100 000 gradients. A core reads a number for a chain in about 0.2 ns: 5 s for so many numbers.
inline constexpr std::size_t most_cheap_values = std::size_t{1} << 18;
// 32 chains fill two AVX-512 packs, and are 8 superchains of four: nested R-hat needs no fewer.
inline constexpr std::size_t most_default_chains = 256, fewest_default_chains = 32;

// One of many small posteriors: as few draws as an answer takes, in one thread. Where starts are 8, nested R-hat is
// below its limit after half of the draws that it takes with 16.
inline constexpr std::size_t default_chains_of_set = 64, default_superchains_of_set = 8;

/// The numbers that a gradient of one chain reads, about: data, position and intermediates. Nothing for a foreign
/// density that does not say it.
std::optional<std::size_t> gradient_values(const Model& model);
/// True if a run saves gradients: one reads more than `most_cheap_values` numbers, or nobody knows how many.
bool has_expensive_gradient(const Model& model);
/// Chains of a run on a CPU of which nothing is said, by the cost of a gradient: 256, halved above `most_cheap_values`
/// and at each doubling of it, at least 32; and 32 where `values` is not known.
std::size_t default_chains(std::optional<std::size_t> values);
/// Fills in Settings::chains if it is 0: default_chains(), on a CUDA device chains_that_fill(), or as many as there are
/// initial points; so many that groups and superchains divide them. Throws BadInput where initial points are no whole
/// number of positions, and as cuda_state().
void choose_chains(const Model& model, Settings& settings);

/// Fills in what is open of Settings::chains, superchains and precision of one of many data sets. Double precision
/// needs no look at the posterior, which takes longer than what single precision saves there; where a gradient is
/// expensive the precision stays open.
void fill_in_for_sets(const Model& model, Settings& settings);

inline constexpr std::size_t first_look = 20;  ///< draws of each chain, of a run with a target: nested R-hat needs few
/// Draws of each chain after `draws`, after which a run with a target looks at them again. Half as many more where
/// gradients are expensive, else as many more.
inline std::size_t next_look(std::size_t draws, bool expensive) { return expensive ? draws + draws / 2 : 2 * draws; }

/// The most draws of each chain, where nothing is said: many chains hold no more memory than few, and of many outputs,
/// 10 000 say, no more is asked for than 5e8 numbers, 4 GB in double precision, while that leaves 100 draws.
inline std::size_t most_draws(std::size_t chains, std::size_t outputs = 1) {
  const std::size_t held = 500'000'000 / (chains * std::max<std::size_t>(outputs, 1));
  return std::clamp<std::size_t>(std::min(409'600 / chains, held), 100, 1600);
}

/// Fills in what follows from the model and the other settings: chains, superchains, how long warm-up and sampling are,
/// the precision of a model that has only one; and returns the sampler. Settings that it has filled in stay as they
/// are. Throws BadInput as choose_sampler() and require_log_likelihood(), and where the model has no parameters, or too
/// many.
SamplerInfo fill_in_defaults(const Model& model, Settings& settings);

}  // namespace manychain
