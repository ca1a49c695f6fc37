// Whether single precision suffices where the posterior is, before any chain moves: log densities and gradients in
// single against double, at draws from normal approximations.
#pragma once

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

/// Looks with paths of its own, on the CPU, so that what it finds is a function of model, data, sampler, seed and
/// starting radius (or the first starting points that are given): neither the backend nor the number of chains counts.
/// Does not look where `sampler` does not accept by the density, where the model has no gradient or has whole numbers,
/// and finds nothing where no path finds the posterior. `settings`: complete.
PrecisionCheck look_at_precision(const Model& model, const Settings& settings, const SamplerInfo& sampler);

/// Looks, unless the precision is double, and takes one where the settings leave it open. With a precision of its own a
/// run that does not start from paths is not worth the look.
void choose_precision(const Model& model, const SamplerInfo& sampler, Settings& settings, Result& result);

/// What is wrong with single precision: how much, and with which parameters. Empty where it is enough or was not looked
/// at.
std::string precision_fault(const PrecisionCheck& check);
/// What to scale; empty if there is nothing.
std::string precision_cure(const PrecisionCheck& check);
/// The precision that a run has taken, and why; empty if the settings gave it.
std::string precision_described(const Result& result);

}  // namespace manychain
