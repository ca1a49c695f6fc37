// NaN in messages.
#pragma once

#include <cmath>
#include <limits>

namespace manychain {

/// x, of a NaN one that prints as "nan": its sign bit says nothing, and formatting would show it.
inline double unsigned_nan(double x) { return std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x; }

}  // namespace manychain
