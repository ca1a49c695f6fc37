// Undefined numbers.
#pragma once

#include <limits>

namespace manychain {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace manychain
