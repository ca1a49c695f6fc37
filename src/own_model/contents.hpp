#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "manychain/core/error.hpp"

namespace manychain::own_model {

/// All bytes of a file; none where it cannot be read.
inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Throws Error, with the reason, where it cannot be written.
inline void write_file(const std::filesystem::path& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw Error(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
}

}  // namespace manychain::own_model
