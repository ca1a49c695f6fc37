// A program that runs while manychain is built. It notes digests of files, by which the command line looks whether they
// are still those that it was built with.
//
//   manychain_digest FILE                              writes FILE.digest, of a precompiled header
//   manychain_digest --headers NOTE INCLUDE KERNELS    writes NOTE: "header DIGEST NAME" for each header of the library
//   manychain_digest --source FILE INCLUDE KERNELS     writes FILE, a source with the identity of the build
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/digest.hpp"

namespace {

namespace fs = std::filesystem;
using manychain::digest_of_file;

/// Says on stderr why a file cannot be read or written, which is in errno. Returns false.
bool failed(const std::string& path, const char* what) {
  const char* const why = errno != 0 ? std::strerror(errno) : "unknown error";
  fmt::print(stderr, "manychain_digest: {}: cannot be {}: {}\n", path, what, why);
  return false;
}

/// A line for each header below `folder`, with the name by which units include it: `before` and its path from there.
/// Editors leave links to nothing and the like beside a file that is open: they are passed over.
bool add_lines(std::vector<std::string>& lines, const fs::path& folder, const std::string& before) {
  std::error_code error, gone;
  fs::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const fs::directory_entry& entry = *at;
    const fs::path ending = entry.path().extension();
    if ((ending != ".hpp" && ending != ".h" && ending != ".cuh") || !entry.is_regular_file(gone)) continue;
    errno = 0;
    const std::string digest = digest_of_file(entry.path());
    if (digest.empty()) return failed(entry.path().string(), "read");
    lines.push_back("header " + digest + " " + before + entry.path().lexically_relative(folder).string());
  }
  errno = error.value();
  return !error || failed(folder.string(), "read");
}

/// The identity that Toolchain::build_identity() reads from notes. CMake defines its first part.
std::vector<std::string> source(const std::vector<std::string>& lines) {
  std::string headers;
  for (const std::string& line : lines) headers += line.substr(line.find(' ') + 1) + "\n";
  const std::string digest = manychain::digest_of(headers);
  return {"// Generated: the identity of the build, with the digest of the headers that it is made from.",
          "extern const char* const manychain_build_identity;",
          "const char* const manychain_build_identity = MANYCHAIN_BUILD \" " + digest + "\";"};
}

bool write(const std::string& path, const std::vector<std::string>& lines) {
  errno = 0;
  std::ofstream file(path);
  for (const std::string& line : lines) file << line << '\n';
  file.close();
  return file || failed(path, "written");
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  std::vector<std::string> lines;
  if (words.size() == 1) {
    errno = 0;
    lines.push_back(digest_of_file(words[0]));
    const bool done = lines[0].empty() ? failed(words[0], "read") : write(words[0] + ".digest", lines);
    return done ? 0 : 1;
  }
  if (words.size() != 4 || (words[0] != "--headers" && words[0] != "--source")) return 2;
  if (!add_lines(lines, words[2], "") || !add_lines(lines, words[3], "manychain/kernels/")) return 1;
  std::sort(lines.begin(), lines.end());
  if (words[0] == "--source") lines = source(lines);
  return write(words[1], lines) ? 0 : 1;
}
