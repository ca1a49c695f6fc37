// What a layout refuses of sizes and ranges. Each throws BadInput.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "manychain/core/error.hpp"
#include "manychain/core/macros.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// A number of things that a model computed.
inline std::size_t counted(int size) {
  if (size < 0)
    throw BadInput("the model asks for " + std::to_string(size) +
                   " terms or elements, of a sum, a vector or a derived quantity: the data are too few for it");
  return static_cast<std::size_t>(size);
}

inline void check_size(const char* name, int size, int smallest) {
  if (size < smallest)
    throw BadInput("vector " + std::string(name) + " has size " + std::to_string(size) + ", which must be " +
                   std::to_string(smallest) + " or more");
}

inline void check_range(const char* name, int low, int high) {
  constexpr int exact = 1 << 24;  // beyond, single precision has no longer every whole number
  if (low <= high && low >= -exact && high <= exact) return;
  throw BadInput("integers " + std::string(name) + ": from " + std::to_string(low) + " to " + std::to_string(high) +
                 " is not allowed; the first must not be above the second, and both within 2^24 of zero");
}

inline void check_shape(const char* name, int rows, int columns) {
  if (rows < 0 || columns < 0 || (rows > 0 && columns > std::numeric_limits<int>::max() / rows))
    throw BadInput("matrix " + std::string(name) + " has " + std::to_string(rows) + " rows and " +
                   std::to_string(columns) + " columns: neither may be negative, nor their product beyond 2^31");
}

}  // namespace detail
}  // namespace MANYCHAIN_ISA
}  // namespace manychain
