// Finds causes of disagreement between chains that draws show: several modes, or a density that ends next to the draws.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "run/draws_source.hpp"

namespace manychain {

/// Evaluations of the density that a look for one cause may take: a hundredth of the run's, or 3000 if that is less.
double allowed_evaluations(const Result& result);

/// Gives Result::posterior.places, for the quantity with the least agreement of those whose chains stay in places.
/// Needs draws: those of the result or, unless it is null, of `source`.
std::string places_in_words(const Result& result, const DrawsSource* source = nullptr);

/// Gives Result::posterior.low_chains, by the largest log density of the draws of each chain.
std::string low_chains_in_words(const std::vector<double>& largest, const Result& result);

/// Chains that find_improper() looks from.
inline constexpr std::size_t chains_of_improper = 3;

/// Gives Result::posterior.improper, at the positions of some chains, by as many evaluations as find_edges() may take.
/// None of a density that others compiled, whose arguments may have to be within bounds, as those of Python may.
std::vector<std::string> find_improper(const Model& model, const Engine& engine, const Result& result);

/// Gives Result::posterior.edges. Moves each component of some chains by a standard deviation to either side and, if
/// the density is not finite there, searches for its end. This takes at most a hundredth of the run's evaluations, or
/// 3000 if that is less. With too many components for one move each, none is examined; ends are searched for as long as
/// evaluations are left. It is no edge if only double precision or the steps of a solver end, and not the density. None
/// is searched for if Result::precision.beyond reports that, or if the run was cancelled. Draws, if there are any, are
/// those of the result or of `source`.
std::vector<std::string> find_edges(const Model& model, const Engine& engine, const Result& result,
                                    const DrawsSource* source = nullptr);

}  // namespace manychain
