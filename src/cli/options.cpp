#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <system_error>

#include "cli/suggest.hpp"
#include "manychain/core/error.hpp"

namespace manychain::cli {

std::string whole_number(const std::string& word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc() && end == word.data() + word.size()) return "";
  return word + " is not a whole number" + (error == std::errc::result_out_of_range ? " below 2^64" : "");
}

void require_one_of(const char* option, const std::string& word, const std::vector<std::string>& words) {
  static const std::map<std::string, std::string> synonyms = {
      {"gpu", "cuda"}, {"float", "single"}, {"float32", "single"}, {"float64", "double"}, {"rwm", "metropolis"}};
  if (std::find(words.begin(), words.end(), word) != words.end()) return;
  const auto synonym = synonyms.find(word);
  const std::string hint = did_you_mean(synonym == synonyms.end() ? word : synonym->second, words);
  throw BadInput(fmt::format("{}: there is no {}{}; there are {}", option, word, hint, fmt::join(words, ", ")));
}

}  // namespace manychain::cli
