// The terminal that stderr writes to.
#pragma once

#include <cstddef>

namespace manychain::cli {

/// True if a line on stderr can be written over.
bool draws_on_terminal();

/// Columns of that terminal; 80 where it does not say.
std::size_t terminal_width();

}  // namespace manychain::cli
