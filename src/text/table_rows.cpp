#include "text/table_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace manychain {
namespace {

bool is_element(const std::string& name) { return !name.empty() && name.back() == ']'; }

using Rows = std::vector<std::size_t>;

/// Elements of one vector, in their order.
struct Vector {
  std::string name;
  Rows elements;
  std::size_t most;  ///< rows that it may have

  std::size_t wants() const { return std::min(most, elements.size()); }
};
constexpr std::size_t a_few = 3;

/// Neighbours in the table.
std::vector<Vector> vectors_of(const std::vector<std::string>& names, const std::vector<std::string>& few) {
  std::vector<Vector> all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!is_element(names[i])) continue;
    const std::string name = names[i].substr(0, names[i].find('['));
    if (all.empty() || all.back().name != name) {
      const bool is_few = std::find(few.begin(), few.end(), name) != few.end();
      all.push_back({name, {}, is_few ? a_few : names.size()});
    }
    all.back().elements.push_back(i);
  }
  return all;
}

/// Rows of each vector, at most `room` in all: as many of each, and what short ones leave is the others'.
Rows shares(const std::vector<Vector>& vectors, std::size_t room) {
  Rows share(vectors.size(), 0);
  Rows order(vectors.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return vectors[a].wants() < vectors[b].wants(); });
  std::size_t left = vectors.size();
  for (const std::size_t v : order) {
    share[v] = std::min(vectors[v].wants(), room / left--);
    room -= share[v];
  }
  return share;
}

/// With fewer rows than vectors, the vectors of the worst elements have one each.
Rows share_of_worst(const std::vector<Vector>& vectors, const Rows& worst, std::size_t room) {
  Rows share(vectors.size(), 0);
  for (std::size_t k = 0; k < room; ++k) share[worst[k]] = 1;
  return share;
}

bool matches(const char* pattern, const char* text) {
  const char *star = nullptr, *again = nullptr;
  while (*text) {
    if (*pattern == '*') {
      star = pattern++;
      again = text;
    } else if (*pattern == '?' || *pattern == *text) {
      ++pattern;
      ++text;
    } else if (star) {
      pattern = star + 1;
      text = ++again;
    } else {
      return false;
    }
  }
  while (*pattern == '*') ++pattern;
  return !*pattern;
}

}  // namespace

std::size_t ShownRows::left_out() const {
  std::size_t count = hidden_scalars;
  for (const Hidden& one : hidden) count += one.count;
  return count;
}

ShownRows rows_to_show(const std::vector<std::string>& names, std::size_t most,
                       const std::function<bool(std::size_t, std::size_t)>& worse,
                       const std::vector<std::string>& few) {
  ShownRows shown;
  if (most == 0 || names.size() <= most) {
    shown.rows.resize(names.size());
    std::iota(shown.rows.begin(), shown.rows.end(), std::size_t(0));
    return shown;
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!is_element(names[i])) shown.rows.push_back(i);
  if (shown.rows.size() > most) {
    std::stable_sort(shown.rows.begin(), shown.rows.end(), worse);
    shown.hidden_scalars = shown.rows.size() - most;
    shown.rows.resize(most);
    std::sort(shown.rows.begin(), shown.rows.end());
  }
  std::vector<Vector> vectors = vectors_of(names, few);
  for (Vector& vector : vectors) std::stable_sort(vector.elements.begin(), vector.elements.end(), worse);
  const std::size_t room = most - shown.rows.size();
  Rows worst(vectors.size());
  std::iota(worst.begin(), worst.end(), std::size_t(0));
  std::stable_sort(worst.begin(), worst.end(),
                   [&](std::size_t a, std::size_t b) { return worse(vectors[a].elements[0], vectors[b].elements[0]); });
  const Rows share = room < vectors.size() ? share_of_worst(vectors, worst, room) : shares(vectors, room);
  ShownRows::Hidden without_row;
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    Rows& elements = vectors[v].elements;
    const std::size_t hidden = elements.size() - share[v];
    if (hidden == 0) std::sort(elements.begin(), elements.end());
    shown.rows.insert(shown.rows.end(), elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(share[v]));
    if (share[v] == 0)
      without_row.count += hidden;
    else if (hidden > 0)
      shown.hidden.push_back({shown.rows.size(), hidden, vectors[v].name});
  }
  if (without_row.count > 0) shown.hidden.push_back({shown.rows.size(), without_row.count, ""});
  return shown;
}

std::vector<std::size_t> rows_called(const std::string& name, const std::vector<std::string>& names) {
  const bool pattern = name.find_first_of("*?") != std::string::npos;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool element = is_element(names[i]);
    const std::string vector = element ? names[i].substr(0, names[i].find('[')) : names[i];
    if (names[i] == name || (element && vector == name) ||
        (pattern && (matches(name.c_str(), names[i].c_str()) || matches(name.c_str(), vector.c_str()))))
      rows.push_back(i);
  }
  return rows;
}

std::string in_words(const ShownRows::Hidden& hidden, const std::string& what) {
  if (hidden.vector.empty()) return fmt::format("... {} more elements of other vectors", hidden.count);
  return fmt::format("... {} more of {}, none with a larger {}", hidden.count, hidden.vector, what);
}

std::string hidden_scalars_in_words(const ShownRows& shown, const std::string& what) {
  if (shown.hidden_scalars == 0) return "";
  return fmt::format("... {} more scalars, none with a larger {}", shown.hidden_scalars, what);
}

std::string with_hidden(const std::string& table, const ShownRows& shown, const std::string& what) {
  std::string text;
  std::size_t at = 0, line = 0;
  auto hidden = shown.hidden.begin();
  const auto tell = [&] {
    for (; hidden != shown.hidden.end() && hidden->after + 1 == line; ++hidden) text += in_words(*hidden, what) + '\n';
  };
  while (at < table.size()) {
    const std::size_t end = table.find('\n', at) + 1;
    text += table.substr(at, end - at);
    at = end;
    ++line;
    tell();
  }
  if (shown.hidden_scalars > 0) text += hidden_scalars_in_words(shown, what) + '\n';
  return text;
}

}  // namespace manychain
