// Chains that start where annealing leaves its particles: in modes that lie apart by the share of each.
#pragma once

#include <string>
#include <vector>

#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"
#include "warmup/ladder_tuner.hpp"
#include "warmup/tuned_groups.hpp"

namespace manychain {

/// Throws BadInput if the settings ask for annealed starts, and the model has no gradient to follow.
void require_annealing(const Model& model, const Settings& settings);
/// True if a run starts from annealing.
bool wants_annealing(const Settings& settings);

/// Particles of an annealing for so many chains: a multiple of islands.
std::size_t particles_for(const Model& model, std::size_t chains);

/// Moves the chains of a run from their uniform points, from which paths look for the modes, to particles that are
/// drawn by their weights; with superchains each takes one. The tuning is told the shape of modes. Chains that cannot
/// start there in the precision of the run start where others do.
AnnealedStarts start_from_annealing(const Model& model, const Settings& settings, Engine& engine, TunedGroups& tuned);

/// Gives each chain that tempers a ladder: a normal at each mode that paths find and wide ones as its reference, and
/// temperatures by an annealing from there. Chains start where that ends, unless the settings say where.
AnnealedStarts start_tempering(const Model& model, const Settings& settings, Engine& engine, LadderTuner& ladder);

/// A text for each mode, if there are several: "5.1 +- 0.7 % of the posterior near mu = 5.02".
std::vector<std::string> weighed_modes_in_words(const Result& result);

}  // namespace manychain
