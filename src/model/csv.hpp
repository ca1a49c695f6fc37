// Comma-separated values, as RFC 4180 describes them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace manychain {

struct CsvRecord {
  std::size_t line = 0;  ///< of the file, on which it begins, from 1
  std::vector<std::string> fields;
};

/// The records of `text`: fields between commas, in quotes where they hold commas, line ends or quotes ("" stands for
/// one). Lines end with LF or CR LF; empty lines at the end and a byte order mark count for nothing. Throws BadInput,
/// with the line, where a quote is not closed or stands within a field, and where a record has not as many fields as
/// the first.
std::vector<CsvRecord> read_csv(std::string_view text);

}  // namespace manychain
