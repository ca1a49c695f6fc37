#include "cli/files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cli/interrupt.hpp"
#include "io/partial_file.hpp"
#include "manychain/core/error.hpp"
#include "run/setting_names.hpp"

namespace manychain::cli {

namespace fs = std::filesystem;

namespace {

/// stdout or stderr, where `path` is what it writes to: "/dev/stdout", or the FILE of `> FILE`, which must not be
/// replaced while it is written to. Null: neither.
std::FILE* standard_stream(const std::string& path) {
  struct stat named {};
  struct stat open {};
  if (stat(path.c_str(), &named) != 0) return nullptr;
  for (std::FILE* stream : {stdout, stderr}) {
    if (fstat(fileno(stream), &open) == 0 && open.st_dev == named.st_dev && open.st_ino == named.st_ino) return stream;
  }
  return nullptr;
}

/// A pipe, a device: written as it is, for nothing can be put in its place.
bool is_stream(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored) && !fs::is_directory(path, ignored);
}

/// Why the last write failed.
std::string reason() { return errno != 0 ? std::strerror(errno) : "the write failed"; }

}  // namespace

std::string sentence(const std::string& message) {
  constexpr std::size_t longest = 1000;
  std::string text = with_options(message);
  if (text.size() > longest) text.replace(longest, std::string::npos, "...");
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]), next = static_cast<unsigned char>(text[i + 1]);
    if (c < 0x20 || c == 0x7f) text[i] = ' ';
    if (c == 0xc2 && next >= 0x80 && next < 0xa0) text[i] = text[i + 1] = ' ';  // those of ISO 8859, in UTF-8
  }
  return text;
}

bool is_standard_stream(const std::string& path) { return standard_stream(path) != nullptr; }

void require_writable(const std::string& path) {
  if (is_standard_stream(path)) return;
  if (!is_stream(path)) return io::require_replaceable(path);
  if (access(path.c_str(), W_OK) != 0) throw BadInput(fmt::format("{}: cannot be written: {}", path, reason()));
}

void require_no_standard_stream(const std::string& path) {
  if (is_standard_stream(path)) throw BadInput(path + ": cannot be written: stdout or stderr goes there");
}

void write_text(const std::string& path, const std::string& text) {
  if (std::FILE* const stream = standard_stream(path)) {
    errno = 0;
    say(stream, "{}\n", text);
    if (std::fflush(stream) != 0 || std::ferror(stream) != 0)
      throw Error(fmt::format("{}: cannot be written: {}", path, reason()));
    return;
  }
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
  double bytes = 0;
  if (fs::is_directory(path, error)) {
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(path, error))
      if (file.is_regular_file(error)) bytes += double(file.file_size(error));
  } else {
    bytes = double(fs::file_size(path, error));
  }
  return error ? "" : io::bytes_in_words(bytes);
}

void flush_stdout() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    const std::string why = reason();
    end_without_reader();
    throw Error("the standard output cannot be written: " + why);
  }
}

}  // namespace manychain::cli
