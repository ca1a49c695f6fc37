// A layout's checks of sizes and ranges.
#pragma once

#include <cstddef>

namespace manychain::checks {

/// A number of things that a model computed. Throws BadInput if it is negative.
std::size_t counted(int size);

// Each throws BadInput with a sentence about the parameter `name`.
void require_vector_size(const char* name, int size, int smallest);
void require_matrix_shape(const char* name, int rows, int columns);
/// A constraint of rows asks for `smallest` columns.
void require_columns(const char* name, int columns, int smallest);
void require_integer_range(const char* name, int low, int high);
/// Called before parameters are given names: the names of a mistyped size would fill the memory of the machine.
void require_dimension(const char* name, std::size_t dimension);

}  // namespace manychain::checks
