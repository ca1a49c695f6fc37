#include "manychain/model/data/layout_checks.hpp"

#include <limits>
#include <string>

#include "manychain/core/error.hpp"

namespace manychain::checks {

std::size_t counted(int size) {
  if (size < 0)
    throw BadInput("the model asks for " + std::to_string(size) +
                   " terms or elements, of a sum, a vector or a derived quantity: the data are too few for it");
  return static_cast<std::size_t>(size);
}

void require_vector_size(const char* name, int size, int smallest) {
  if (size < smallest)
    throw BadInput("vector " + std::string(name) + " has size " + std::to_string(size) + ", which must be " +
                   std::to_string(smallest) + " or more");
}

void require_matrix_shape(const char* name, int rows, int columns) {
  if (rows < 0 || columns < 0 || (rows > 0 && columns > std::numeric_limits<int>::max() / rows))
    throw BadInput("matrix " + std::string(name) + " has " + std::to_string(rows) + " rows and " +
                   std::to_string(columns) + " columns: neither may be negative, nor their product beyond 2^31");
}

void require_columns(const char* name, int columns, int smallest) {
  if (columns < smallest)
    throw BadInput("matrix " + std::string(name) + " has " + std::to_string(columns) +
                   " columns, and its constraint needs " + std::to_string(smallest) + " or more");
}

void require_integer_range(const char* name, int low, int high) {
  constexpr int exact = 1 << 24;  // beyond, single precision has no longer every whole number
  if (low <= high && low >= -exact && high <= exact) return;
  throw BadInput("integers " + std::string(name) + ": from " + std::to_string(low) + " to " + std::to_string(high) +
                 " is not allowed; the first must not be above the second, and both within 2^24 of zero");
}

void require_dimension(const char* name, std::size_t dimension) {
  constexpr std::size_t most = std::size_t{1} << 24;  // a transition has as many random words
  if (dimension <= most) return;
  throw BadInput("with " + std::string(name) + " the model has " + std::to_string(dimension) +
                 " parameters, and there may be 2^24: look at the sizes in the data");
}

}  // namespace manychain::checks
