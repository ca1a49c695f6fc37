// Finds why chains do not agree, where that can be seen: several modes, or a density that ends next to the draws.
#pragma once

#include <string>
#include <vector>

#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"

namespace manychain {

/// Gives Result::places, of the quantity whose chains agree least among those that show places. Needs draws that are
/// kept.
std::string places_in_words(const Result& result);

/// Gives Result::edges. Each component of some chains is moved by a standard deviation to either side, and where the
/// density is not finite there, its end is looked for. All costs no more than a hundredth of the run's evaluations, or
/// 3000, whichever is less. Of so many components that this does not allow a move of each, none is looked at; ends are
/// looked for as long as evaluations are left. Where double precision or the steps of a solver end, and the density
/// does not, there is no edge; nor is one looked for where Result::beyond_precision says that, or where the run was
/// cancelled.
std::vector<std::string> find_edges(const Model& model, const Engine& engine, const Result& result);

}  // namespace manychain
