#include "cli/outputs.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "cli/files.hpp"
#include "io/partial_file.hpp"
#include "io/zarr_store.hpp"
#include "manychain/core/error.hpp"

namespace manychain::cli {
namespace {

namespace fs = std::filesystem;

std::string beginning_of(const std::string& path) {
  std::array<char, 64> bytes{};
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(file.gcount())};
}

bool begins_with(std::string_view text, std::string_view words) { return text.substr(0, words.size()) == words; }

bool is_json(const std::string& path) {
  const std::string text = beginning_of(path);
  const std::size_t key = text.find_first_not_of(" \n", 1);
  return text[0] == '{' && key != std::string::npos &&
         begins_with(std::string_view(text).substr(key), "\"manychain\":");
}

bool is_dot(const std::string& path) { return begins_with(beginning_of(path), "digraph"); }

/// True if both names are of one file, also of one that is not there yet.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  if (fs::equivalent(a, b, none)) return true;
  const fs::path first = fs::weakly_canonical(fs::absolute(io::behind_links(a), none), none);
  return !first.empty() && first == fs::weakly_canonical(fs::absolute(io::behind_links(b), none), none);
}

void require_store(const Output& output) {
  try {
    io::require_store_replaceable(output.path);
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}; {} names another", error.what(), output.option));
  }
}

void require_output(const Output& output, const std::vector<std::string>& inputs) {
  const std::string& path = output.path;
  for (const std::string& input : inputs)
    if (std::error_code none; fs::equivalent(path, input, none))
      throw BadInput(path + ": cannot be written: it is a file that is read");
  if (output.kind->replaces_alone && io::names_store(path)) return require_store(output);
  if (output.kind->replaces_alone) {
    io::require_replaceable(path);
    require_no_standard_stream(path);
  } else {
    require_writable(path);
    if (is_standard_stream(path)) return;
  }
  std::error_code none;
  if (fs::is_regular_file(path, none) && fs::file_size(path, none) > 0 && !output.kind->holds(path))
    throw BadInput(fmt::format("{}: there is such a file, and it is no {}; {} names another", path, output.kind->name,
                               output.option));
}

}  // namespace

const FileKind json_file{"JSON object of manychain", is_json};
const FileKind dot_file{"diagram of Graphviz", is_dot};

void require_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs) {
  std::vector<Output> named;
  for (const Output& output : outputs) {
    if (output.path == "-" && output.kind->replaces_alone)
      throw BadInput(fmt::format("{} -: a {} does not go to stdout; name a file", output.option, output.kind->name));
    if (output.path.empty() || output.path == "-") continue;
    for (const Output& other : named)
      if (same_file(other.path, output.path))
        throw BadInput(fmt::format("{} and {} name the same file {}", output.option, other.option, output.path));
    require_output(output, inputs);
    named.push_back(output);
  }
}

}  // namespace manychain::cli
