// Finds jumps of the log density between the chains of a run that has not converged: no gradient shows them.
#pragma once

#include <string>
#include <vector>

#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"

namespace manychain {

/// Gives Result::posterior.jumps. A jump is a place on a line between two chains at which the log density changes by
/// 0.25 or more, and by 1e-6 of itself; gradients on both sides do not explain that, and halving the interval until its
/// ends are neighbours among doubles does not reduce it. Components that pass it alone are named. This takes at most a
/// hundredth of the run's evaluations, or 3000 if that is less. Looked for if chains hardly move, and the sampler
/// follows trajectories in all components.
std::vector<std::string> find_jumps(const Model& model, const Engine& engine, const Result& result);

}  // namespace manychain
