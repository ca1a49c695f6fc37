#include "core/available_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

namespace manychain {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}
std::vector<std::string> lines_of(const std::optional<std::string>& text) {
  std::istringstream stream(text.value_or(""));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A count in decimal digits; none: it is not one, "max" for example.
std::optional<double> number(const std::string& word) {
  if (word.empty() || word.find_first_not_of("0123456789") != std::string::npos) return {};
  return std::stod(word);
}
/// Behind `name`, in a file of lines "name number".
std::optional<double> entry(const std::optional<std::string>& text, const std::string& name) {
  for (const std::string& line : lines_of(text))
    if (const auto words = words_of(line); words.size() > 1 && words[0] == name) return number(words[1]);
  return {};
}
std::optional<double> only_number(const std::optional<std::string>& text) {
  const auto words = words_of(text.value_or(""));
  return words.empty() ? std::nullopt : number(words[0]);
}

/// "\040" is a space in /proc/self/mountinfo, proc(5).
std::string unescaped(const std::string& word) {
  std::string text;
  for (std::size_t k = 0; k < word.size(); ++k) {
    if (word[k] == '\\' && k + 3 < word.size()) {
      text += static_cast<char>(std::stoi(word.substr(k + 1, 3), nullptr, 8));
      k += 3;
    } else {
      text += word[k];
    }
  }
  return text;
}

bool has(const std::string& list, const std::string& name) {
  return ("," + list + ",").find("," + name + ",") != std::string::npos;
}

struct Hierarchy {
  bool second = false;  ///< version 2 of control groups
  std::string root;     ///< the group that is mounted
  std::string mount;    ///< where
};

/// The groups that control memory: a line is "36 35 98:0 /root /mount options - type source super-options", proc(5).
std::vector<Hierarchy> hierarchies(const ReadFile& read) {
  std::vector<Hierarchy> found;
  for (const std::string& line : lines_of(read("/proc/self/mountinfo"))) {
    const std::vector<std::string> words = words_of(line);
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (dash - words.begin() < 6 || words.end() - dash < 4) continue;
    const bool second = dash[1] == "cgroup2";
    if (second || (dash[1] == "cgroup" && has(dash[3], "memory")))
      found.push_back({second, unescaped(words[3]), unescaped(words[4])});
  }
  return found;
}

/// The group of this process: a line is "0::/path" in version 2, "4:cpu,memory:/path" in version 1.
std::optional<std::string> group_of(const Hierarchy& hierarchy, const ReadFile& read) {
  for (const std::string& line : lines_of(read("/proc/self/cgroup"))) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (hierarchy.second ? controllers.empty() : has(controllers, "memory")) return line.substr(second + 1);
  }
  return {};
}

/// Bytes that the group in that folder leaves; none: it has no limit.
std::optional<double> left_by(const std::string& folder, bool second, const ReadFile& read) {
  const auto limit = only_number(read(folder + (second ? "/memory.max" : "/memory.limit_in_bytes")));
  if (!limit) return {};
  const double used = only_number(read(folder + (second ? "/memory.current" : "/memory.usage_in_bytes"))).value_or(0);
  const double files =
      entry(read(folder + "/memory.stat"), second ? "inactive_file" : "total_inactive_file").value_or(0);
  return std::max(*limit - std::max(used - files, 0.0), 0.0);
}

}  // namespace

std::optional<double> available_memory(const ReadFile& read) {
  std::optional<double> least;
  const auto consider = [&](std::optional<double> bytes) {
    if (bytes && (!least || *bytes < *least)) least = bytes;
  };
  if (const auto kilobytes = entry(read("/proc/meminfo"), "MemAvailable:")) consider(*kilobytes * 1024);
  for (const Hierarchy& hierarchy : hierarchies(read)) {
    std::string group = group_of(hierarchy, read).value_or("/");
    // In a container the mount shows a part of the tree, which the path may be within, or not.
    const std::string root = hierarchy.root == "/" ? "" : hierarchy.root;
    group = group == root ? "" : group.compare(0, root.size() + 1, root + "/") == 0 ? group.substr(root.size()) : "";
    for (;; group.erase(group.rfind('/'))) {
      if (group == "/") group.clear();
      consider(left_by(hierarchy.mount + group, hierarchy.second, read));
      if (group.find('/') == std::string::npos) break;
    }
  }
  return least;
}

double available_memory() {
  const auto bytes = available_memory([](const std::string& path) -> std::optional<std::string> {
    std::ifstream file(path);
    if (!file) return {};
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  });
  return bytes ? *bytes : static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace manychain
