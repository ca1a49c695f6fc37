#include "cli/stored_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <filesystem>
#include <sstream>
#include <vector>

#include "core/digest.hpp"
#include "manychain/core/error.hpp"
#include "run/setting_table.hpp"
#include "run/setting_text.hpp"

namespace manychain::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view setting_prefix = "setting ";

/// The name of a built-in model stays.
std::string absolute(const std::string& path) {
  return path.find_first_of("./") == std::string::npos ? path : fs::absolute(path).lexically_normal().string();
}

/// Not of pipes, which can be read but once.
std::string digest_if_file(const std::string& path) {
  std::error_code none;
  return fs::is_regular_file(path, none) ? digest_of_file(path) : "";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream from(text);
  for (std::string line; std::getline(from, line);) lines.push_back(line);
  return lines;
}

/// Texts of a model source, by name.
template <class Source, class Visit>
void visit_texts(Source& source, const Visit& visit) {
  visit("model", source.model);
  visit("class", source.header.class_name);
  visit("stan", source.stan);
  visit("library", source.library);
  visit("symbol", source.symbol);
  visit("user_data", source.user_data);
  visit("parameters", source.parameters);
}

}  // namespace

/// "3/16". Throws BadInput.
RunPart part_from(const std::string& text) {
  RunPart part;
  const char* const end = text.data() + text.size();
  const auto [slash, first_error] = std::from_chars(text.data(), end, part.number);
  if (first_error == std::errc() && slash != end && *slash == '/') {
    const auto [rest, error] = std::from_chars(slash + 1, end, part.of);
    if (error == std::errc() && rest == end && part.number >= 1 && part.number <= part.of) return part;
  }
  throw BadInput("--part: " + text + " is no part: 3/16 is the third of sixteen");
}

std::string absolute_or_empty(const std::string& path) { return path.empty() ? "" : fs::absolute(path).string(); }

io::StoreFacts facts_of(const ModelSource& given, const Settings& settings) {
  ModelSource source = given;
  source.model = absolute(source.model);
  for (std::string* path : {&source.stan, &source.library}) *path = absolute_or_empty(*path);
  for (std::string& path : source.data) path = fs::absolute(path).string();
  io::StoreFacts facts;
  visit_texts(source, [&](const char* name, const std::string& text) {
    if (!text.empty()) facts[name] = text;
  });
  facts["model"] = source.model;
  facts["dimension"] = std::to_string(source.dimension);
  facts["data"] = fmt::format("{}", fmt::join(source.data, "\n"));
  std::string digests;
  for (const std::string& file : source.files()) digests += digest_if_file(file) + "\n";
  facts["digests"] = digests;
  for_each_setting([&](const auto& row) {
    if (row.given(settings)) facts[std::string(setting_prefix) + row.name] = row.text(settings);
  });
  return facts;
}

BegunBy begun_by(const std::string& store, const io::StoreFacts& facts) {
  if (!facts.count("model") || !facts.count("digests"))
    throw BadInput(store + ": manychain sample did not begin it: the program that did can go on");
  BegunBy begun;
  ModelSource& source = begun.source;
  visit_texts(source, [&](const char* name, std::string& text) {
    if (const auto found = facts.find(name); found != facts.end()) text = found->second;
  });
  if (const auto found = facts.find("data"); found != facts.end()) source.data = lines_of(found->second);
  if (const auto found = facts.find("dimension"); found != facts.end())
    source.dimension = std::strtoull(found->second.c_str(), nullptr, 10);
  for (const auto& [name, text] : facts)
    if (name.substr(0, setting_prefix.size()) == setting_prefix)
      set_from_text(begun.settings, name.substr(setting_prefix.size()), text);
  const std::vector<std::string> files = source.files(), digests = lines_of(facts.at("digests"));
  for (std::size_t i = 0; i < files.size() && i < digests.size(); ++i)
    if (!digests[i].empty() && digests[i] != digest_of_file(files[i]))
      throw BadInput(files[i] + ": has changed since the run began, or is gone: the run cannot go on");
  return begun;
}

Model model_of(const std::string& store, const BegunBy& begun) {
  const Settings& given = begun.settings;
  try {
    return load_model(begun.source, given.seed, {{given.sampler}, given.precision, given.backend, given.device});
  } catch (const BadInput& error) {
    throw BadInput(store + ": " + error.what());
  }
}

}  // namespace manychain::cli
