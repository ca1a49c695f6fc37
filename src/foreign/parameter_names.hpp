// Names of parameters, one for each dimension, as quantities with shapes.
#pragma once

#include <string>
#include <vector>

#include "manychain/model/data/layout.hpp"

namespace manychain {

/// "slope[1]", "slope[2]", ... become one quantity "slope" if they are all elements of an array, from 1 on, beside each
/// other and in the order of ours: the last index fastest. All other names are of scalars.
std::vector<Quantity> quantities_of(const std::vector<std::string>& names);

}  // namespace manychain
