// Points to begin with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "manychain/run/model.hpp"

namespace manychain {

/// `count` points, uniform within the radius, with a finite log density and gradient in double if 100 tries find one. A
/// function of the seed: point k does not depend on `count`.
std::vector<double> uniform_points(const Model& model, std::size_t count, double radius, std::uint64_t seed);

}  // namespace manychain
