// Limits of densities that the caller has compiled.
#pragma once

#include <cstddef>

namespace manychain {

/// Throws BadInput, before anything is made of each parameter: their names would fill the memory of the machine.
void require_few_parameters(std::size_t dimension);

}  // namespace manychain
