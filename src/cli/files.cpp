#include "cli/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "manychain/core/error.hpp"

namespace manychain::cli {

namespace fs = std::filesystem;

void require_writable(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw BadInput(fmt::format("{}: cannot be written: {}", path, why));
  };
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) refuse("it is a folder");
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored)) refuse("there is no folder " + folder.string());
  const bool existed = fs::exists(path, ignored);
  errno = 0;
  if (!std::ofstream(path, std::ios::app)) refuse(std::strerror(errno));
  if (existed) return;
  fs::remove(path, ignored);
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << '\n';
  file.close();
  if (!file) throw Error(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

std::string size_of_file(const std::string& path) {
  std::error_code error;
  auto bytes = double(fs::file_size(path, error));
  if (error) return "";
  for (const char* unit : {"bytes", "kB", "MB", "GB"}) {
    if (bytes < 1000) return fmt::format("{:.3g} {}", bytes, unit);
    bytes /= 1000;
  }
  return fmt::format("{:.3g} TB", bytes);
}

}  // namespace manychain::cli
