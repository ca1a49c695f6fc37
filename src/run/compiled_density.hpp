// A density that the caller has compiled, as a model: one chain per lane, double precision, on the CPU.
#pragma once

#include <memory>

#include "manychain/run/model.hpp"

namespace manychain {

/// Throws BadInput if the density has no dimension, no function, or names that do not match.
std::shared_ptr<const Model::Bound> bind_compiled_density(CompiledDensity density);

}  // namespace manychain
