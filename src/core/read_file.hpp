#pragma once

#include <string>

namespace manychain {

/// All bytes of a file. Throws BadInput, with its path and what the system says.
std::string read_file(const std::string& path);

}  // namespace manychain
