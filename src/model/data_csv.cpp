// Columns of a table as variables. A column that is no vector of numbers is kept as the sentence that a model gets
// which asks for it (Data::fault()).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "manychain/core/error.hpp"
#include "manychain/model/data/data.hpp"
#include "model/csv.hpp"

namespace manychain {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  for (const std::string_view one : words)
    if (word == one) return true;
  return false;
}

bool is_missing(std::string_view word) {
  return is_one_of(word, {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "."});
}

struct Number {
  double value = 0;
  bool integer = false;  // written as one
};

std::optional<Number> number_in(std::string_view word) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (is_one_of(word, {"Inf", "+Inf", "inf", "Infinity"})) return Number{infinity, false};
  if (is_one_of(word, {"-Inf", "-inf", "-Infinity"})) return Number{-infinity, false};
  if (!word.empty() && word[0] == '+') {
    word.remove_prefix(1);
    if (!word.empty() && word[0] == '-') return {};
  }
  Number number;
  const char* const end = word.data() + word.size();
  if (word.empty() || word[0] == '+' || word.find_first_of("xXnNiI") != word.npos) return {};  // no words here
  const auto [rest, error] = std::from_chars(word.data(), end, number.value);
  if (rest != end || error == std::errc::invalid_argument) return {};
  // Too small for a double: zero. Too large: not finite, which the model's reader refuses.
  if (error == std::errc::result_out_of_range)
    number.value = word.find("e-") == word.npos && word.find("E-") == word.npos ? infinity : 0;
  number.integer = word.find_first_of(".eE") == word.npos;
  return number;
}

/// 2020-01-31, 31.1.2020, 1/31/2020, and with a time of day behind it.
bool is_date(std::string_view word) {
  std::size_t at = 0, years = 0;
  char separator = 0;
  for (int number = 0; number < 3; ++number) {
    const std::size_t end = std::min(word.find_first_not_of("0123456789", at), word.size()), digits = end - at;
    if (digits == 4 && number != 1)
      ++years;
    else if (digits < 1 || digits > 2)
      return false;
    at = end;
    if (number == 2) break;
    if (at == word.size() || std::string_view("-/.").find(word[at]) == word.npos) return false;
    if (number == 1 && word[at] != separator) return false;
    separator = word[at++];
  }
  return years == 1 && (at == word.size() || word[at] == ' ' || word[at] == 'T');
}

/// Digits in groups of three: 1,234 or 1'234,567.
bool has_thousands_separator(std::string_view word) {
  const std::size_t separator = word.find_first_of(",' _");
  return separator != word.npos && separator > 0 && word.find_first_not_of("0123456789.,' _-+") == word.npos;
}

/// Why there is no number in the cell. Rows are counted from 1, without the header.
std::string fault_of(const std::string& column, std::size_t row, std::size_t line, std::string_view cell) {
  const std::string where = fmt::format("column {}, row {} (line {})", column, row, line);
  std::string shown(cell.substr(0, 40));
  for (char& c : shown) c = c >= '\0' && c < ' ' ? ' ' : c;
  if (cell.empty()) return where + ": the cell is empty; leave such rows out, or make the missing values parameters";
  if (is_missing(cell))
    return fmt::format("{}: {} is a missing value; leave such rows out, or make the missing values parameters", where,
                       shown);
  if (is_date(cell))
    return fmt::format(
        "{}: \"{}\" is no number; write dates as year-month-day and then as days, for example by "
        "as.numeric(as.Date({})) in R or "
        "(pandas.to_datetime({}) - pandas.Timestamp(\"2000-01-01\")).dt.days in pandas",
        where, shown, column, column);
  if (has_thousands_separator(cell))
    return fmt::format("{}: \"{}\" is no number; write it with a decimal point and without separators", where, shown);
  if (is_one_of(cell, {"TRUE", "FALSE", "True", "False", "true", "false"}))
    return fmt::format("{}: {} is no number; write 1 for true and 0 for false", where, shown);
  return fmt::format(
      "{}: \"{}\" is no number; code words as whole numbers, for example by as.integer(factor({})) in R or "
      "{}.astype(\"category\").cat.codes + 1 in pandas",
      where, shown, column, column);
}

}  // namespace

Data Data::from_csv(std::string_view text) {
  const std::vector<CsvRecord> records = read_csv(text);
  if (records.empty()) throw BadInput("CSV: the file is empty: its first line must name the columns");
  const std::vector<std::string>& header = records[0].fields;

  Data data;
  data.rows_.push_back(records.size() - 1);
  std::set<std::string> names;
  for (std::size_t c = 0; c < header.size(); ++c) {
    const std::string name(trimmed(header[c]));
    if (name.empty()) continue;
    if (number_in(name))
      throw BadInput(fmt::format("CSV: line 1: the first line must name the columns, and {} is a number", name));
    if (!names.insert(name).second) throw BadInput(fmt::format("CSV: line 1: two columns are called {}", name));
    Variable column{{records.size() - 1}, {}, true};
    for (std::size_t r = 1; r < records.size(); ++r) {
      const std::string_view cell = trimmed(records[r].fields[c]);
      const std::optional<Number> number = is_missing(cell) ? std::nullopt : number_in(cell);
      if (!number) {
        data.faults_[name] = fault_of(name, r, records[r].line, cell);
        break;
      }
      column.values.push_back(number->value);
      column.integer = column.integer && number->integer;
    }
    if (!data.faults_.count(name)) data.variables_[name] = std::move(column);
  }
  return data;
}

}  // namespace manychain
