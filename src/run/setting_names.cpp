#include "run/setting_names.hpp"

#include <algorithm>
#include <cstddef>

#include "run/setting_table.hpp"

namespace manychain {
namespace {

bool of_a_name(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

/// Replaces each setting by spelling(name).
template <class Spelling>
std::string spelt(const std::string& message, const Spelling& spelling) {
  std::string text;
  std::size_t done = 0;
  for (std::size_t at; (at = message.find(setting_prefix, done)) != std::string::npos;) {
    text.append(message, done, at - done);
    const NamedSetting setting = setting_at(std::string_view(message).substr(at));
    text += spelling(std::string(setting.name));
    done = at + setting.length;
  }
  return text.append(message, done);
}

}  // namespace

NamedSetting setting_at(std::string_view text) {
  if (text.substr(0, setting_prefix.size()) != setting_prefix) return {};
  const auto end_of_word = [&](std::size_t at) {
    while (at < text.size() && of_a_name(text[at])) ++at;
    return at;
  };
  std::size_t end = end_of_word(setting_prefix.size());
  if (end + 1 < text.size() && text[end] == '.' && of_a_name(text[end + 1])) end = end_of_word(end + 1);
  const std::string_view path = text.substr(setting_prefix.size(), end - setting_prefix.size());
  NamedSetting setting{path.substr(path.find('.') + 1), end};  // npos + 1 is 0
  for_each_setting([&](const auto& row) {
    if (path == row.path) setting.name = row.name;
  });
  return setting;
}

std::string with_options(const std::string& message) {
  return spelt(message, [](std::string name) {
    for_each_setting([&](const auto& row) {
      if (row.option && name == row.name) name = row.option;
    });
    return "--" + name;
  });
}

std::string with_c_fields(const std::string& message) {
  return spelt(message, [](std::string name) { return name; });
}

std::string options_of(const Settings& settings, const std::vector<std::string>& names) {
  std::string text;
  for_each_setting([&](const auto& row) {
    if (!names.empty() && std::find(names.begin(), names.end(), row.name) == names.end()) return;
    if (!row.option || !row.value(settings) || (!row.given(settings) && row.quiet)) return;
    text += fmt::format(" --{}", row.option);
    if (!row.is_flag()) text += " " + row.text(settings);
  });
  return text;
}

}  // namespace manychain
