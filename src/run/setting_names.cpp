#include "run/setting_names.hpp"

#include <algorithm>

#include "run/setting_table.hpp"

namespace manychain {
namespace {

bool of_a_name(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

/// Replaces the prefix and the name behind it by spelling(name).
template <class Spelling>
std::string spelt(const std::string& message, const Spelling& spelling) {
  std::string text;
  std::size_t done = 0;
  for (std::size_t at; (at = message.find(setting_prefix, done)) != std::string::npos;) {
    text.append(message, done, at - done);
    const auto name = message.begin() + static_cast<std::ptrdiff_t>(at + setting_prefix.size());
    const auto end = std::find_if_not(name, message.end(), of_a_name);
    text += spelling(std::string(name, end));
    done = static_cast<std::size_t>(end - message.begin());
  }
  return text.append(message, done);
}

}  // namespace

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
