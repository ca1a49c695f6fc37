// Checks that single precision suffices at the posterior, before any chain moves: log densities and gradients in single
// against double, at draws from normal approximations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

/// Up to 128 draws near the posterior, [draw][dimension], from normal approximations that paths of its own find; empty
/// if none does. A function of the model, its data, the starting radius (or the first starting points that are given)
/// and `seed`.
std::vector<double> draws_near_posterior(const Model& model, const Settings& settings, std::uint64_t seed = 0);

/// True if the check applies: `sampler` accepts by the density, and the model has a gradient, no whole numbers and both
/// precisions.
bool can_look(const Model& model, const SamplerInfo& sampler);

/// Checks single precision with paths of its own, on the CPU. The result is a function of model, data, sampler and
/// starting radius (or the first starting points that are given); seed, backend and number of chains do not matter.
/// Does not look if can_look() is false, and finds nothing if no path finds the posterior. `settings`: complete.
PrecisionCheck compare_precisions(const Model& model, const Settings& settings, const SamplerInfo& sampler);
/// Likewise at given points, [point][dimension], of which there may be none: no path found the posterior.
PrecisionCheck compare_precisions(const Model& model, const Settings& settings, const std::vector<double>& points);

/// Checks single precision unless the settings ask for double, and chooses the precision if they leave it open. If they
/// ask for single, checks only a run that starts from paths.
void choose_precision(const Model& model, const SamplerInfo& sampler, Settings& settings, Result& result);

/// The share of the posterior that the precision of a run does not represent, by the positions of its chains
/// ([chain][dimension]): "49 % of x lies where double precision has no finite log density". Empty: negligible, or not
/// checked.
std::string beyond_precision(const Model& model, const SamplerInfo& sampler, const Settings& settings,
                             const std::vector<double>& points);

/// The error of single precision: its size, and the parameters that cause it. Empty if single suffices or was not
/// checked.
std::string precision_fault(const PrecisionCheck& check);
/// The data to centre and scale; empty if there are none.
std::string precision_cure(const PrecisionCheck& check);
/// The precision that a run has chosen, and why; empty if the settings gave it.
std::string precision_described(const Result& result);

}  // namespace manychain
