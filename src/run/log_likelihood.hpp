// Pointwise log likelihoods of the draws of a run, for LOO and WAIC. They are computed after the last draw, in double,
// a draw a lane, by the unit that binds the model (PointOperations): no chain is compiled for them. A target with
// Request::pointwise takes the outputs of a draw for the parameters, so that no constraint is inverted, whose edge a
// rounded value may have met.
#pragma once

#include <atomic>
#include <cstddef>

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"
#include "run/draws_in_ranks.hpp"
#include "run/draws_source.hpp"

namespace manychain {

/// Before the run, whose settings are complete: throws BadInput where Settings::output.log_likelihood cannot be had,
/// because draws are not kept, the model has no observe(), or two of one name, or parameters that no draw holds;
/// OutOfMemory where it takes more memory than there is.
void require_log_likelihood(const Model& model, const Settings& settings);

/// A run in ranks: each computes those of its own chains, and all call add_log_likelihood() alike.
struct LikelihoodInRanks {
  const Share* share = nullptr;  ///< null: there are no ranks
  const Draws* own = nullptr;    ///< those of its own chains; null: `source` has those of all
  DrawsAt at = DrawsAt::all_ranks;
};

/// Fills result.output.log_likelihood, on result.settings.threads threads, from the draws of the result or, unless it
/// is null, of `source`, where they are the first result.kept ones. Once `cancel` (or null) is true it is left empty.
/// Returns whether it was finished. What an evaluation throws goes no further: the draws stay, and
/// result.output.no_log_likelihood says what it was.
bool add_log_likelihood(const Model& model, Result& result, const std::atomic<bool>* cancel,
                        const DrawsSource* source = nullptr, const LikelihoodInRanks& ranks = {});

}  // namespace manychain
