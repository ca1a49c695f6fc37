#include "own_model/header_read.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "core/digest.hpp"
#include "own_model/contents.hpp"

namespace manychain::own_model {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

/// The files that the preprocessor has read: those of the user, and those of the compiler and the system.
struct Sources {
  std::set<std::string> files, others;
};

/// The names in `#include "name"`, whatever conditions they stand under: another unit may meet these.
std::vector<std::string> quoted_includes(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string::npos || line[at] != '#') continue;
    at = line.find_first_not_of(" \t", at + 1);
    if (at == std::string::npos || line.compare(at, 7, "include") != 0) continue;
    const std::size_t begin = line.find('"', at), end = line.find('"', begin + 1);
    if (begin != std::string::npos && end != std::string::npos)
      names.push_back(line.substr(begin + 1, end - begin - 1));
  }
  return names;
}

/// The digest of HeaderRead. `asks`: becomes true where a file of the user's asks whether another one is there.
std::string digest_of_sources(const Sources& sources, bool& asks) {
  std::set<std::string> files = sources.files;
  std::vector<std::string> left(files.begin(), files.end());
  std::string all;
  for (const std::string& file : sources.others) all += file_stamp(file) + "\n";
  while (!left.empty()) {
    const std::string file = left.back(), text = contents(file);
    left.pop_back();
    all += fmt::format("{} {}\n{}", file, text.size(), text);
    asks = asks || text.find("__has_") != std::string::npos;
    for (const std::string& name : quoted_includes(text)) {
      const std::string other = (fs::path(file).parent_path() / name).lexically_normal().string();
      std::error_code none;
      if (fs::is_regular_file(other, none) && files.insert(other).second) left.push_back(other);
    }
  }
  return digest_of(all);
}

std::vector<std::string> preprocessor(const Toolchain& toolchain) {
  std::vector<std::string> line = toolchain.compiler();
  line.insert(line.end(), toolchain.words("chain").begin(), toolchain.words("chain").end());
  line.insert(line.end(), {"-E", "header.cpp"});
  return line;
}

/// Empty: nothing can be noted, as of a path that is no UTF-8, or of a file that asks whether another one is there.
std::string as_note(const HeaderRead& read, const Sources& sources, bool asks) {
  if (asks) return "";
  Json note;
  note["digest"] = read.digest;
  note["includes_library"] = read.includes_library;
  note["files"] = sources.files;
  note["others"] = sources.others;
  note["classes"] = Json::array();
  for (const ClassFound& found : read.classes)
    note["classes"].push_back({found.name, found.is_template, found.density, found.other});
  try {
    return note.dump();
  } catch (const Json::exception&) {
    return "";
  }
}

/// Writes the unit that Workplace::syntax_check() compiles, too.
void write_unit(const Workplace& at, const std::string& path) {
  write_file(at.folder / "header.cpp", fmt::format("#include \"{}\"\n", path));
}

HeaderRead read_now(const Workplace& at, const std::string& path) {
  const fs::path output = at.folder / "header.ii";
  at.run({{preprocessor(at.toolchain), output}});
  HeaderRead read;
  Sources sources;
  bool asks = false;
  const auto is_users = [&](const std::string& file, bool system) {
    read.includes_library |= at.toolchain.is_ours(file);  // a prefix may be a folder of the system's
    if (system) {
      sources.others.insert(file);
      return false;
    }
    if (file != path && (file.empty() || file[0] != '/' || at.toolchain.is_ours(file))) return false;
    sources.files.insert(file);
    return true;
  };
  read.classes = classes_in(contents(output), is_users);
  read.digest = digest_of_sources(sources, asks);
  read.note.text = as_note(read, sources, asks);
  return read;
}

/// Variables of GCC and Clang that name folders of headers, or another compiler behind the same command.
bool environment_has_headers() {
  const auto given = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return given("CPATH") || given("C_INCLUDE_PATH") || given("CPLUS_INCLUDE_PATH") || given("GCC_EXEC_PREFIX") ||
         given("COMPILER_PATH") || given("CCC_OVERRIDE_OPTIONS");
}

/// Empty where a file has changed since.
std::optional<HeaderRead> from_note(const std::string& text) {
  try {
    const Json note = Json::parse(text);
    HeaderRead read{{}, note.at("digest"), note.at("includes_library"), {}};
    for (const Json& found : note.at("classes"))
      read.classes.push_back({found.at(0), found.at(1), found.at(2), found.at(3)});
    bool asks = false;
    if (digest_of_sources({note.at("files"), note.at("others")}, asks) == read.digest) return read;
  } catch (const Json::exception&) {
    // The header is read again.
  }
  return {};
}

}  // namespace

HeaderRead read_header(const Workplace& at, const std::string& path) {
  write_unit(at, path);
  return read_now(at, path);
}

HeaderRead read_header_or_note(const Workplace& at, const std::string& path, const std::string& stamp,
                               const Cache& cache) {
  if (environment_has_headers()) return read_header(at, path);
  write_unit(at, path);
  const std::string name =
      digest_of(fmt::format("{}\n{}\n{}", path, stamp, fmt::join(preprocessor(at.toolchain), "\n"))) + ".note";
  if (const std::string kept = cache.find(name); !kept.empty()) {
    if (std::optional<HeaderRead> noted = from_note(contents(kept))) return std::move(*noted);
    std::error_code gone;
    fs::remove(kept, gone);
  }
  HeaderRead read = read_now(at, path);
  read.note.name = name;
  return read;
}

void keep(const HeaderNote& note, const Workplace& at, Cache& cache) {
  if (note.name.empty() || note.text.empty()) return;
  try {
    write_file(at.folder / note.name, note.text);
    cache.keep(at.folder / note.name, note.name);
  } catch (const Error&) {  // on a full disk the header is read again
  }
}

}  // namespace manychain::own_model
