#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace manychain::own_model {

/// All bytes of a file; none where it cannot be read.
inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace manychain::own_model
