#include "core/read_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "manychain/core/error.hpp"

namespace manychain {

std::string read_file(const std::string& path) {
  try {
    std::ifstream file;
    file.exceptions(std::ios::failbit | std::ios::badbit);
    file.open(path, std::ios::binary);
    // A folder opens like a file and throws at the first read.
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  } catch (const std::ios::failure&) {
    throw BadInput(path + ": cannot be read: " + std::strerror(errno));
  }
}

}  // namespace manychain
