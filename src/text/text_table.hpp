// Tables for a terminal.
#pragma once

#include <string>
#include <vector>

namespace manychain {

/// Lines of cells, the first column to the left, the others to the right; two spaces between columns.
std::string text_table(const std::vector<std::vector<std::string>>& cells);

/// A number with so many decimals that its standard error shows two digits.
std::string number_with_error(double value, double error);

}  // namespace manychain
