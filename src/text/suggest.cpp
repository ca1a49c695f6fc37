#include "text/suggest.hpp"

#include <algorithm>

namespace manychain {
namespace {

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

std::string plain(const std::string& word) {
  std::string out;
  for (char c : word) {
    if (c != '-' && c != '_' && c != ' ') out += char(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return out;
}

}  // namespace

std::string closest(const std::string& word, const std::vector<std::string>& names) {
  const std::string wanted = plain(word);
  std::string best;
  std::size_t least = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(wanted, plain(name));
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  if (!best.empty() || wanted.size() < 3) return best;
  for (const std::string& name : names) {
    if (plain(name).find(wanted) != std::string::npos) return name;
  }
  return best;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  const std::string name = closest(word, names);
  return name.empty() ? "" : "; did you mean " + name + "?";
}

}  // namespace manychain
