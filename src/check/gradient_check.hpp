// Model::check_gradient(), with what it found of differential equations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "manychain/run/check.hpp"
#include "manychain/run/model.hpp"

namespace manychain {

/// As check_gradient(model, points, seed). The gradient of an adaptive solution is held against differences with strict
/// tolerances for both, and what the model's own do to it is told by `solver`.
GradientCheck check_gradient(const Model& model, std::size_t points, std::uint64_t seed, SolverCheck& solver);

}  // namespace manychain
