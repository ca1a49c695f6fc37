// A program that runs while manychain is built. It notes digests of files, by which the command line looks whether they
// are still those that it was built with.
//
//   manychain_digest FILE                              writes FILE.digest, of a precompiled header
//   manychain_digest --headers NOTE INCLUDE KERNELS    writes NOTE: "header DIGEST NAME" for each header of the library
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/own/digest.hpp"

namespace {

namespace fs = std::filesystem;
using manychain::cli::digest_of_file;

/// A line for each header below `folder`, with the name by which units include it: `before` and its path from there.
bool add_lines(std::vector<std::string>& lines, const fs::path& folder, const std::string& before) {
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(folder, none)) {
    const fs::path ending = entry.path().extension();
    if (ending != ".hpp" && ending != ".h" && ending != ".cuh") continue;
    const std::string digest = digest_of_file(entry.path());
    if (digest.empty()) return false;
    lines.push_back("header " + digest + " " + before + entry.path().lexically_relative(folder).string());
  }
  return true;
}

bool write(const std::string& path, const std::vector<std::string>& lines) {
  std::ofstream file(path);
  for (const std::string& line : lines) file << line << '\n';
  file.close();
  return file && !lines.empty();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  std::vector<std::string> lines;
  if (words.size() == 1) {
    lines.push_back(digest_of_file(words[0]));
    return !lines[0].empty() && write(words[0] + ".digest", lines) ? 0 : 1;
  }
  if (words.size() != 4 || words[0] != "--headers") return 2;
  if (!add_lines(lines, words[2], "") || !add_lines(lines, words[3], "manychain/kernels/")) return 1;
  std::sort(lines.begin(), lines.end());
  return write(words[1], lines) ? 0 : 1;
}
