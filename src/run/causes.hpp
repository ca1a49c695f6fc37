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

/// Gives Result::edges. Each component of some chains is moved by a standard deviation to either side, at a cost of a
/// hundredth of the run's evaluations, or of 3000, whichever is less; of so many components that this does not allow,
/// none is looked at. Where double precision ends and the density does not, there is no edge; nor is one looked for
/// where Result::beyond_precision says that.
std::vector<std::string> find_edges(const Model& model, const Engine& engine, const Result& result);

}  // namespace manychain
