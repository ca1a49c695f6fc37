// Checks that single precision suffices at the positions of chains: the effect of its rounding on the decisions of a
// sampler.
#pragma once

#include <vector>

#include "diagnostics/limits.hpp"
#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

using diagnostics::precision_error_limit;

/// True if the sampler accepts by differences of the model's log density.
bool accepts_by_density(const SamplerInfo& sampler, const Model& model);

/// Mean over pairs of 1 - exp(-|e_i - e_j|). An acceptance probability min(1, exp(a)) changes by no more than
/// 1 - exp(-|d|) when a changes by d, so that this bounds the share of decisions that errors of log densities,
/// `errors`, change. A constant error changes none. An infinite error differs from every other; a NaN is left out. NaN
/// for fewer than two errors.
double decisions_changed(const std::vector<double>& errors);

/// decisions_changed() by the errors of up to 256 chains of an engine in single precision: the log densities that it
/// compares, against those in double at the same positions. NaN in double, for samplers that accept without a density,
/// and without a warm-up: starting points are not typical of the posterior.
double precision_error(const Model& model, const Settings& settings, const SamplerInfo& sampler, const Engine& engine);

}  // namespace manychain
