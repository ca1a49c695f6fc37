#include "cli/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "io/partial_file.hpp"
#include "manychain/core/error.hpp"

namespace manychain::cli {

namespace fs = std::filesystem;

namespace {

/// "/dev/stdout", a pipe: written as it is, for nothing can be put in its place.
bool is_stream(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored) && !fs::is_directory(path, ignored);
}

/// Why the last write failed.
std::string reason() { return errno != 0 ? std::strerror(errno) : "the write failed"; }

}  // namespace

void require_writable(const std::string& path) {
  if (!is_stream(path)) return io::require_replaceable(path);
  if (access(path.c_str(), W_OK) != 0) throw BadInput(fmt::format("{}: cannot be written: {}", path, reason()));
}

void write_text(const std::string& path, const std::string& text) {
  std::optional<io::PartialFile> partial;
  if (!is_stream(path)) partial.emplace(path);
  errno = 0;
  std::ofstream file(partial ? partial->begin() : path, std::ios::binary);
  file << text << '\n';
  file.close();
  if (!file) throw Error(fmt::format("{}: cannot be written: {}", path, reason()));
  if (partial) partial->keep();
}

std::string size_of_file(const std::string& path) {
  std::error_code error;
  const auto bytes = double(fs::file_size(path, error));
  return error ? "" : io::bytes_in_words(bytes);
}

void flush_stdout() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Error("the standard output cannot be written: " + reason());
  }
}

}  // namespace manychain::cli
