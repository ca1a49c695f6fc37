// check_gradient(), with its findings on differential equations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "manychain/run/check.hpp"
#include "manychain/run/model.hpp"

namespace manychain {

/// Like check_gradient(model, points, seed). The gradient of an adaptive solution is compared with differences under
/// strict tolerances for both; `solver` reports the effect of the model's own tolerances on it.
GradientCheck check_gradient(const Model& model, std::size_t points, std::uint64_t seed, SolverCheck& solver);

}  // namespace manychain
