// A run whose draws are used before its diagnostics.
#pragma once

#include <functional>

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/run/settings.hpp"

namespace manychain {

/// Called once, after the last draw. The result has the draws and the facts of the run, but neither summary nor
/// verdict.
using Drawn = std::function<void(const Result&)>;

Result sample(const Model& model, const Settings& settings, const Drawn& drawn);

}  // namespace manychain
