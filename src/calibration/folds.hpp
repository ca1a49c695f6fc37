// Cross-validation that tells how far it is.
#pragma once

#include <cstddef>
#include <functional>

#include "manychain/run/folds.hpp"

namespace manychain {

/// As cross_validate(model, folds, settings). `done` is called behind each fit, from any thread, one call at a time:
/// so many fits of `folds` + 1.
CrossValidation cross_validate(const Model& model, std::size_t folds, const Settings& settings,
                               const std::function<void(std::size_t)>& done);

}  // namespace manychain
