// Data as text, for those who read them by a reader of their own.
#pragma once

#include <string>

#include "manychain/model/data/data.hpp"

namespace manychain {

/// The variables as one JSON object in CmdStan's dialect: integers up to 2^53 without a point, all others with one or
/// an exponent, as exactly as a double holds them; NaN and Infinity bare. Tables also give their number of rows, N,
/// unless a variable has that name. Names of dimensions, and columns that are no numbers, are left out.
std::string json_of(const Data& data);

}  // namespace manychain
