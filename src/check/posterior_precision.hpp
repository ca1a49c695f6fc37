// The check that single precision suffices where the posterior is, before any chain moves: log densities and gradients
// in single against double, at draws from normal approximations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

/// Up to 128 draws near the posterior, [draw][dimension], from the normal approximations that paths of its own find;
/// empty where none does. A function of the model, its data, the starting radius (or the first starting points that are
/// given) and `seed`.
std::vector<double> draws_near_posterior(const Model& model, const Settings& settings, std::uint64_t seed = 0);

/// True if there is something to look at: `sampler` accepts by the density, and the model has a gradient, no whole
/// numbers and both precisions.
bool can_look(const Model& model, const SamplerInfo& sampler);

/// Looks with paths of its own, on the CPU, so that what it finds is a function of model, data, sampler and starting
/// radius (or the first starting points that are given): neither seed nor backend nor the number of chains counts. Does
/// not look where `sampler` does not accept by the density, where the model has no gradient or has whole numbers,
/// and finds nothing where no path finds the posterior. `settings`: complete.
PrecisionCheck look_at_precision(const Model& model, const Settings& settings, const SamplerInfo& sampler);
/// The same at given points, [point][dimension], of which there may be none: no path found the posterior.
PrecisionCheck look_at_precision(const Model& model, const Settings& settings, const std::vector<double>& points);

/// Looks, unless the precision is double, and takes one where the settings leave it open. With a precision of its own a
/// run that does not start from paths is not worth the look.
void choose_precision(const Model& model, const SamplerInfo& sampler, Settings& settings, Result& result);

/// The part of the posterior that the precision of a run does not hold, seen from its chains ([chain][dimension]):
/// "49 % of x lies where double precision has no finite log density". Empty: nothing that counts, or not looked at.
std::string beyond_precision(const Model& model, const SamplerInfo& sampler, const Settings& settings,
                             const std::vector<double>& points);

/// The fault of single precision: how much, and with which parameters. Empty where it is enough or was not looked
/// at.
std::string precision_fault(const PrecisionCheck& check);
/// The advice on what to scale; empty if there is nothing.
std::string precision_cure(const PrecisionCheck& check);
/// The precision that a run has taken, and why; empty if the settings gave it.
std::string precision_described(const Result& result);

}  // namespace manychain
