#include "manychain/model/data/data_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "core/read_file.hpp"
#include "manychain/core/error.hpp"
#include "model/csv.hpp"
#include "text/suggest.hpp"

namespace manychain {
namespace {

constexpr std::string_view blank = " \t\r\n";

/// Walks over JSON without reading its numbers: brackets and quotes alone tell where its parts end. Mistakes
/// within a part are found by the reader of that part.
class JsonParts {
 public:
  explicit JsonParts(std::string_view text) : text_(text) { skip_blanks(); }

  bool at_end() const { return at_ >= text_.size(); }  // a backslash may end the text
  char next() const { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    skip_blanks();
    return true;
  }
  void need(char c, const char* where) {
    if (!take(c)) fail(fmt::format("a {} is missing {}", c, where));
  }
  /// A string with its quotes.
  std::string_view word() {
    if (next() != '"') fail("a name in quotes is missing");
    const std::size_t begin = at_++;
    while (!at_end() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) fail("a quote is not closed");
    ++at_;
    return ended(begin);
  }
  /// An object, an array, a string or a number.
  std::string_view part() {
    if (next() == '"') return word();
    const std::size_t begin = at_;
    std::size_t open = 0;
    while (!at_end()) {
      const char c = text_[at_];
      if (c == '"') {
        word();
        continue;
      }
      if (open == 0 && (c == ',' || c == ']' || c == '}')) break;
      open += c == '[' || c == '{' ? 1 : 0;
      open -= c == ']' || c == '}' ? 1 : 0;
      ++at_;
      if (open == 0 && (c == ']' || c == '}')) break;
    }
    if (open > 0) fail("a bracket is not closed");
    return ended(begin);
  }
  std::size_t offset() const { return at_; }
  [[noreturn]] void fail(const std::string& what) const {
    throw BadInput(fmt::format("JSON: offset {}: {}", std::min(at_, text_.size()), what));
  }

 private:
  void skip_blanks() {
    while (!at_end() && blank.find(text_[at_]) != blank.npos) ++at_;
  }
  std::string_view ended(std::size_t begin) {
    const std::size_t end = at_;
    skip_blanks();
    return text_.substr(begin, end - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

DataSet set_of(std::string name, std::string_view text) {
  if (text.empty() || text[0] != '{')
    throw BadInput(fmt::format("set {}: it is no object of data, {{\"name\": value, ...}}", name));
  try {
    return {name, Data::from_json(text)};
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("set {}: {}", name, error.what()));
  }
}

/// The word between quotes. Names are shown, not compared with anything: escapes beyond the common ones stay as they
/// are.
std::string unquoted(std::string_view word) {
  std::string name;
  for (std::size_t i = 1; i + 1 < word.size(); ++i) {
    if (word[i] == '\\' && (word[i + 1] == '"' || word[i + 1] == '\\' || word[i + 1] == '/')) ++i;
    name += word[i];
  }
  return name;
}

/// True if the object holds objects alone: data sets under their names, and no variable of one.
bool holds_sets(std::string_view object) {
  JsonParts parts(object);
  if (!parts.take('{') || parts.next() == '}') return false;
  parts.word();
  const bool colon = parts.take(':');
  return colon && parts.next() == '{' && object.substr(1, object.find(':')).find("\"coords\"") == object.npos &&
         object.substr(1, object.find(':')).find("\"dims\"") == object.npos;
}

std::vector<DataSet> named_sets(std::string_view object) {
  std::vector<DataSet> sets;
  std::set<std::string> names;
  JsonParts parts(object);
  parts.need('{', "at the beginning");
  do {
    const std::string name = unquoted(parts.word());
    parts.need(':', "behind the name of a set");
    if (!names.insert(name).second) throw BadInput(fmt::format("set {}: it stands twice", name));
    sets.push_back(set_of(name, parts.part()));
  } while (parts.take(','));
  parts.need('}', "at the end");
  return sets;
}

/// A field as it stands in a file.
void write_field(std::string& text, const std::string& field) {
  if (field.find_first_of(",\"\n\r") == field.npos) {
    text += field;
    return;
  }
  text += '"';
  for (const char c : field) text += c == '"' ? "\"\"" : std::string(1, c);
  text += '"';
}

/// A record without the column `left_out`.
void write_record(std::string& text, const CsvRecord& record, std::size_t left_out) {
  bool first = true;
  for (std::size_t c = 0; c < record.fields.size(); ++c) {
    if (c == left_out) continue;
    if (!first) text += ',';
    first = false;
    write_field(text, record.fields[c]);
  }
  text += '\n';
}

std::string trimmed(const std::string& field) {
  const std::size_t begin = field.find_first_not_of(blank);
  return begin == field.npos ? "" : field.substr(begin, field.find_last_not_of(blank) + 1 - begin);
}

std::size_t place_of(const std::string& column, const CsvRecord& header) {
  std::vector<std::string> names;
  for (const std::string& field : header.fields) names.push_back(trimmed(field));
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end())
    throw BadInput(fmt::format("CSV: there is no column {}, which would say of which set a row is{}", column,
                               did_you_mean(column, names)));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

std::vector<DataSet> data_sets_from_json(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  std::vector<DataSet> sets;
  JsonParts parts(text);
  const auto number = [&] { return std::to_string(sets.size() + 1); };
  if (parts.take('[')) {
    if (parts.next() != ']') do
        sets.push_back(set_of(number(), parts.part()));
      while (parts.take(','));
    parts.need(']', "at the end");
  } else {
    const std::size_t begin = parts.offset();
    const std::string_view first = parts.part();
    if (parts.at_end() && holds_sets(first)) {
      sets = named_sets(first);
    } else {
      parts = JsonParts(text.substr(begin));  // an object on each line, or one alone
      while (!parts.at_end()) sets.push_back(set_of(number(), parts.part()));
    }
  }
  if (!parts.at_end()) parts.fail("there is more behind the data sets");
  if (sets.empty()) throw BadInput("JSON: there are no data sets");
  return sets;
}

std::vector<DataSet> data_sets_from_csv(std::string_view text, const std::string& column) {
  const std::vector<CsvRecord> records = read_csv(text);
  if (records.empty()) throw BadInput("CSV: the file is empty: its first line must name the columns");
  const std::size_t place = place_of(column, records[0]);
  std::map<std::string, std::size_t> known;
  std::vector<DataSet> sets;
  std::vector<std::string> tables;
  for (std::size_t r = 1; r < records.size(); ++r) {
    const std::string name = trimmed(records[r].fields[place]);
    if (name.empty())
      throw BadInput(
          fmt::format("CSV: line {}: column {} is empty, so that its set is not known", records[r].line, column));
    const auto [found, is_new] = known.emplace(name, sets.size());
    if (is_new) {
      sets.push_back({name, {}});
      write_record(tables.emplace_back(), records[0], place);
    }
    write_record(tables[found->second], records[r], place);
    sets[found->second].lines.push_back(records[r].line);
  }
  if (sets.empty()) throw BadInput("CSV: there are no rows");
  if (records[0].fields.size() < 2) throw BadInput(fmt::format("CSV: there is no column beside {}", column));
  for (std::size_t k = 0; k < sets.size(); ++k) sets[k].data = Data::from_csv(tables[k]);
  return sets;
}

std::vector<DataSet> data_sets_from_file(const std::string& path, const std::string& column) {
  const bool table = path.ends_with(".csv") || path.ends_with(".CSV");
  if (table && column.empty())
    throw BadInput(path + ": a table needs the name of the column that says of which set a row is (--set-column)");
  if (!table && !column.empty()) throw BadInput(path + ": a column that says of which set a row is needs a .csv");
  const std::string text = read_file(path);
  try {
    return table ? data_sets_from_csv(text, column) : data_sets_from_json(text);
  } catch (const BadInput& error) {
    throw BadInput(path + ": " + error.what());
  }
}

std::string with_lines(const DataSet& set, const std::string& message) {
  constexpr std::string_view before = "(line ";
  const std::size_t at = message.find(before);
  if (set.lines.empty() || at == message.npos) return message;
  const std::size_t begin = at + before.size(), end = message.find(')', begin);
  std::size_t line = 0;
  if (end == message.npos) return message;
  const auto [rest, error] = std::from_chars(message.data() + begin, message.data() + end, line);
  const bool is_row = error == std::errc() && rest == message.data() + end && line >= 2 && line - 2 < set.lines.size();
  return is_row ? message.substr(0, begin) + std::to_string(set.lines[line - 2]) + message.substr(end) : message;
}

}  // namespace manychain
