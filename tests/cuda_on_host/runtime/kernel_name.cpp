#include "runtime/kernel_name.hpp"

#include <regex>

namespace ptx {

namespace {

/// Replaces identifiers of a mangled name that begin as `pattern` says, their length being its first group.
template <class Replacement>
std::string replaced(std::string name, const std::regex& pattern, Replacement replacement) {
  for (std::smatch match; std::regex_search(name, match, pattern);) {
    const auto begin = static_cast<std::size_t>(match.position(0));
    const std::size_t end = begin + static_cast<std::size_t>(match.length(1)) + std::stoul(match[1]);
    name = name.substr(0, begin) + replacement(match) + name.substr(end);
  }
  return name;
}

}  // namespace

std::string kernel_name(std::string name) {
  static const std::regex unnamed("([0-9]+)_GLOBAL__N__[0-9a-f]{8}_([0-9]+)_"), cub("([0-9]+)CUB_[0-9]+_SM_");
  const auto file = [](const std::smatch& match) {
    return "<" + match.suffix().str().substr(0, std::stoul(match[2])) + ">";
  };
  return replaced(replaced(std::move(name), unnamed, file), cub, [](const std::smatch&) { return "<CUB>"; });
}

}  // namespace ptx
