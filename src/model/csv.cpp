// A reader of a hundred lines: what Debian has that is small (libcsv) is a library in C to link, and says of an error
// neither line nor field.
#include "model/csv.hpp"

#include <fmt/format.h>

#include <utility>

#include "manychain/core/error.hpp"

namespace manychain {
namespace {

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : rest_(text) {
    if (rest_.substr(0, 3) == "\xEF\xBB\xBF") rest_.remove_prefix(3);
    while (!rest_.empty() && (rest_.back() == '\n' || rest_.back() == '\r')) rest_.remove_suffix(1);
  }

  std::vector<CsvRecord> records() {
    std::vector<CsvRecord> all;
    while (!rest_.empty()) {
      all.push_back(record());
      if (all.size() == 1) require_commas(all[0].fields);
      const std::size_t found = all.back().fields.size(), wanted = all.front().fields.size();
      if (found != wanted)
        throw BadInput(fmt::format("CSV: line {}: it has {} field{}, and the header names {} column{}", all.back().line,
                                   found, found == 1 ? "" : "s", wanted, wanted == 1 ? "" : "s"));
    }
    return all;
  }

 private:
  /// Spreadsheets of many countries, and write.csv2() of R, separate by semicolons, since their decimals have commas.
  static void require_commas(const std::vector<std::string>& header) {
    if (header.size() > 1) return;
    for (const auto& [mark, name] : {std::pair(';', "semicolons"), std::pair('\t', "tabs")})
      if (header[0].find(mark) != std::string::npos)
        throw BadInput(
            fmt::format("CSV: line 1: columns are separated by {}; write the table with commas between columns "
                        "and decimal points (write.csv() in R, to_csv() in pandas)",
                        name));
  }

  CsvRecord record() {
    CsvRecord record{line_, {}};
    for (;;) {
      record.fields.push_back(rest_.substr(0, 1) == "\"" ? quoted() : plain());
      if (rest_.substr(0, 1) != ",") break;
      rest_.remove_prefix(1);
    }
    if (rest_.substr(0, 1) == "\r") rest_.remove_prefix(1);
    if (rest_.substr(0, 1) == "\n") rest_.remove_prefix(1);
    ++line_;
    return record;
  }

  /// To the next comma, or to the end of the line.
  std::string plain() {
    std::size_t end = rest_.find_first_of(",\n\"");
    if (end == rest_.npos) end = rest_.size();
    if (end < rest_.size() && rest_[end] == '"')
      fail(line_, "a quote stands within a field that does not begin with one");
    std::string_view field = rest_.substr(0, end);
    if (end < rest_.size() && rest_[end] == '\n' && !field.empty() && field.back() == '\r') field.remove_suffix(1);
    rest_.remove_prefix(field.size());
    return std::string(field);
  }

  std::string quoted() {
    const std::size_t begin = line_;
    std::string field;
    rest_.remove_prefix(1);
    for (;;) {
      const std::size_t quote = rest_.find('"');
      if (quote == rest_.npos) fail(begin, "a quote is not closed");
      for (const char c : rest_.substr(0, quote)) line_ += c == '\n' ? 1 : 0;
      field += rest_.substr(0, quote);
      rest_.remove_prefix(quote + 1);
      if (rest_.substr(0, 1) != "\"") break;
      field += '"';
      rest_.remove_prefix(1);
    }
    if (!rest_.empty() && rest_[0] != ',' && rest_[0] != '\n' && rest_.substr(0, 2) != "\r\n")
      fail(line_, "behind the quote that closes a field there is more before the comma");
    return field;
  }

  [[noreturn]] static void fail(std::size_t line, const char* what) {
    throw BadInput(fmt::format("CSV: line {}: {}", line, what));
  }

  std::string_view rest_;
  std::size_t line_ = 1;
};

}  // namespace

std::vector<CsvRecord> read_csv(std::string_view text) { return CsvReader(text).records(); }

}  // namespace manychain
