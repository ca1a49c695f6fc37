#include "own_model/toolchain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "core/digest.hpp"
#include "core/version.hpp"
#include "manychain/core/error.hpp"

namespace manychain::own_model {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix_word = "{prefix}";
constexpr std::string_view kernels_name = "manychain/kernels/";
FindShare find_share = nullptr;

}  // namespace

fs::path share_beside_program() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none).parent_path().parent_path() / "share" / "manychain";
}

void find_share_by(FindShare find) { find_share = find; }

fs::path share_of_command_line() {
  if (find_share == nullptr) return share_beside_program();
  std::string text(8192, '\0');
  const int failed = find_share(text.data(), text.size());
  text.resize(text.find_first_of('\0'));
  if (failed != 0) throw BadInput(text);
  return text;
}

std::string file_stamp(const std::string& word) {
  std::error_code none;
  if (word.empty() || word[0] != '/' || !fs::is_regular_file(word, none)) return word;
  return fmt::format("{} {} {}", word, fs::file_size(word, none),
                     fs::last_write_time(word, none).time_since_epoch().count());
}

bool precompiled_is_whole(const std::string& header) {
  std::string noted;
  std::ifstream(header + ".gch.digest") >> noted;
  return !noted.empty() && noted == digest_of_file(header + ".gch");
}

Toolchain::Toolchain(const fs::path& share) {
  std::error_code none;
  const fs::path here = fs::absolute(share, none).lexically_normal().parent_path().parent_path();
  for (const char* name : {"toolchain.txt", "link.txt", "headers.txt"}) {
    const fs::path path = share / name;
    std::ifstream file(path);
    if (!file)
      throw BadInput(path.string() +
                     ": cannot be read, and without it no model is compiled; build or install manychain again, or "
                     "compile the model with manychain_add_model() in a project of your own");
    for (std::string line; std::getline(file, line);) {
      const std::size_t space = line.find(' ');
      if (space == std::string::npos || space + 1 == line.size()) continue;
      std::string word = line.substr(space + 1);
      if (const std::size_t at = word.find(prefix_word); at != std::string::npos)
        word.replace(at, prefix_word.size(), here.string());
      lists_[line.substr(0, space)].push_back(std::move(word));
    }
  }
}

// It takes some milliseconds: all headers are 1 MB, which the compiler reads next.
void Toolchain::require_headers_of_libraries() const {
  const std::string kernels = word("kernels");
  const auto path_of = [&](const std::string& name) -> fs::path {
    // The build tree has headers in place of these that include them.
    if (!kernels.empty() && name.compare(0, kernels_name.size(), kernels_name) == 0)
      return fs::path(kernels) / name.substr(kernels_name.size());
    std::error_code none;
    for (const std::string& folder : words("include"))
      if (fs::exists(fs::path(folder) / name, none)) return fs::path(folder) / name;
    return name;
  };
  std::string first;
  std::size_t others = 0;
  for (const std::string& noted : words("header")) {
    const std::size_t space = noted.find(' ');
    const std::string name = noted.substr(std::min(noted.size(), space + 1));
    if (digest_of_file(path_of(name)) == noted.substr(0, space)) continue;
    if (first.empty()) {
      first = name;
    } else {
      ++others;
    }
  }
  if (first.empty()) return;
  throw BadInput(fmt::format(
      "manychain was built from other headers: {}{} changed since, and no model that is compiled by these fits it; {}",
      first, others > 0 ? fmt::format(" and {} more have", others) : " has",
      word("build").empty() ? "install it again"
                            : fmt::format("build it again: cmake --build {} --target manychain_cli", word("build"))));
}

const std::vector<std::string>& Toolchain::words(const std::string& name) const {
  static const std::vector<std::string> nothing;
  const auto found = lists_.find(name);
  return found == lists_.end() ? nothing : found->second;
}

std::string Toolchain::word(const std::string& name) const { return words(name).empty() ? "" : words(name).front(); }

std::vector<std::string> Toolchain::compiler() const {
  std::vector<std::string> line = words("compiler");
  for (const std::string& folder : words("include")) line.push_back("-I" + folder);
  // They go behind the compiler's own folders, which they may be: -isystem would move them before those of its C++
  // library.
  for (const std::string& folder : words("system")) line.insert(line.end(), {"-idirafter", folder});
  line.insert(line.end(), words("option").begin(), words("option").end());
  return line;
}

std::vector<std::string> Toolchain::linked(const std::vector<std::string>& words_behind) const {
  const bool is_compiler = words("linker").empty();
  std::vector<std::string> line = words(is_compiler ? "compiler" : "linker");
  for (const std::string& word : words_behind)
    if (is_compiler || word != "-Xlinker") line.push_back(word);
  return line;
}

std::vector<std::string> Toolchain::cuda_compiler(const std::string& architecture) const {
  std::vector<std::string> line = {word("nvcc")};
  for (const std::string& folder : words("include")) line.push_back("-I" + folder);
  line.insert(line.end(), words("cuda").begin(), words("cuda").end());
  const std::string number = architecture.substr(0, architecture.find('-'));
  std::string code = fmt::format("sm_{0},compute_{0}", number);
  if (architecture == number + "-real") code = "sm_" + number;
  if (architecture == number + "-virtual") code = "compute_" + number;
  line.push_back(fmt::format("--generate-code=arch=compute_{},code=[{}]", number, code));
  return line;
}

std::string Toolchain::precompiled(const std::string& units) const {
  const std::string header = word("precompiled_" + units);
  std::error_code none;
  if (header.empty() || !fs::is_regular_file(header + ".gch", none)) return "";
  // GCC would not notice that a header has changed since. One that changes and keeps an older time is not noticed here.
  return newest_header() > fs::last_write_time(header + ".gch", none) ? "" : header;
}

fs::file_time_type Toolchain::newest_header() const {
  if (newest_header_) return *newest_header_;
  newest_header_ = fs::file_time_type::min();
  std::error_code none;
  for (const std::string& folder : words("include"))
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(folder) / "manychain", none))
      if (entry.path().extension() == ".hpp") newest_header_ = std::max(*newest_header_, entry.last_write_time(none));
  return *newest_header_;
}

std::string Toolchain::build_identity() const {
  std::string headers;
  for (const std::string& noted : words("header")) headers += noted + "\n";
  return word("identity") + " " + digest_of(headers);
}

std::string Toolchain::stamp() const {
  std::string text = version;
  std::error_code none;
  std::vector<fs::path> folders = {templates()};
  for (const std::string& folder : words("include")) folders.push_back(fs::path(folder) / "manychain");
  for (const std::string& folder : words("kernels")) folders.emplace_back(folder);
  for (const fs::path& folder : folders) {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder, none))
      files.push_back(file_stamp(entry.path().string()));
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) text += "\n" + file;
  }
  for (const auto& [name, list] : lists_)
    for (const std::string& word : list) text += fmt::format("\n{} {}", name, file_stamp(word));
  return digest_of(text);
}

bool Toolchain::is_ours(const std::string& file) const {
  const auto& folders = words("include");
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return file.compare(0, folder.size() + 1, folder + "/") == 0; });
}

}  // namespace manychain::own_model
