// Densities that the caller has compiled, as models.
#pragma once

#include <memory>

#include "manychain/run/model.hpp"

namespace manychain {

/// Throws BadInput if the density has no dimension, no function, or names that do not match.
std::shared_ptr<const Model::Bound> bind_compiled_density(CompiledDensity density);
/// Likewise.
std::shared_ptr<const Model::Bound> bind_callback_density(const CallbackDensity& density);

/// Throws BadInput, before anything is made of each parameter: their names would fill the memory of the machine.
void require_few_parameters(std::size_t dimension);

}  // namespace manychain
