#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <system_error>

#include "manychain/core/error.hpp"
#include "text/suggest.hpp"
#include "text/table_rows.hpp"

namespace manychain::cli {

std::string whole_number(const std::string& word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc() && end == word.data() + word.size()) {
    // It would be octal to the parser of options.
    return word.size() > 1 && word[0] == '0' ? word + " begins with 0: write it without" : "";
  }
  return word + " is not a whole number" + (error == std::errc::result_out_of_range ? " below 2^64" : "");
}

double memory_bytes(std::size_t megabytes) {
  if (megabytes == 0) throw BadInput("--memory: 0 is not allowed; give 1 or more");
  return static_cast<double>(megabytes) * 1e6;
}

std::vector<std::string> listed(const std::string& words) {
  std::vector<std::string> list(1);
  int depth = 0;
  for (const char c : words) {
    depth += (c == '[') - (c == ']');
    if (c == ',' && depth <= 0)
      list.emplace_back();
    else
      list.back() += c;
  }
  list.erase(std::remove(list.begin(), list.end(), ""), list.end());
  return list;
}

void require_rows(const char* option, const std::vector<std::string>& names, const std::vector<std::string>& rows) {
  for (const std::string& name : names) {
    if (!rows_called(name, rows).empty()) continue;
    std::vector<std::string> near = rows;
    for (const std::string& row : rows)
      if (const std::string vector = row.substr(0, row.find('[')); vector != near.back()) near.push_back(vector);
    throw BadInput(fmt::format("{}: there is no {}{}", option, name, did_you_mean(name, near)));
  }
}

std::string not_one_of(const std::vector<std::string>& words, const std::string& word) {
  static const std::map<std::string, std::string> synonyms = {
      {"gpu", "cuda"}, {"float", "single"}, {"float32", "single"}, {"float64", "double"}, {"rwm", "metropolis"}};
  if (std::find(words.begin(), words.end(), word) != words.end()) return "";
  const auto synonym = synonyms.find(word);
  const std::string hint = did_you_mean(synonym == synonyms.end() ? word : synonym->second, words);
  return fmt::format("there is no {}{}; there are {}", word, hint, fmt::join(words, ", "));
}

}  // namespace manychain::cli
