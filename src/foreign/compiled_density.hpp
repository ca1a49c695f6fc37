// Densities that the caller has compiled: their limits, and one that is there in both precisions.
#pragma once

#include <cstddef>

#include "foreign/lockstep.hpp"
#include "manychain/run/model.hpp"

namespace manychain {

/// Throws BadInput, before anything is made of each parameter: their names would fill the memory of the machine.
void require_few_parameters(std::size_t dimension);

/// The density of all chains at once that has a function for each precision: the settings say which one a run asks.
Model batched_model(BatchedDensity density, Lockstep<float>::Batch in_single);

}  // namespace manychain
