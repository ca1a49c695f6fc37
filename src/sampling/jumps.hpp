// Finds jumps of the log density between the chains of a run that has not converged: no gradient shows them.
#pragma once

#include <string>
#include <vector>

#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"

namespace manychain {

/// Gives Result::posterior.jumps. Along lines between the positions of chains the log density differs from what
/// gradients at both ends of an interval explain, the difference stays where the interval is halved until its ends are
/// neighbours among doubles, and moves along one component alone show it. This takes at most a hundredth of the run's
/// evaluations, or 3000 if that is less. Looked for if the sampler follows trajectories, and components are real
/// numbers.
std::vector<std::string> find_jumps(const Model& model, const Engine& engine, const Result& result);

}  // namespace manychain
