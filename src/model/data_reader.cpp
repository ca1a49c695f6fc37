#include "manychain/model/language/data_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/missing_variable.hpp"
#include "text/suggest.hpp"
#include "text/unsigned_nan.hpp"

namespace manychain {

namespace {

/// A hint at what the data have in place of a name that they lack.
std::string instead(const Data& data, const std::string& name) {
  constexpr std::size_t few = 8;
  const std::vector<std::string> names = data.names();
  const auto lower_case = [](std::string word) {
    for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return word;
  };
  for (const std::string& other : names)
    if (lower_case(other) == lower_case(name)) return "; did you mean " + other + "?";
  // Any other name would be near one of one or two letters.
  const std::string alike = name.size() > 2 ? did_you_mean(name, names) : "";
  if (!alike.empty()) return alike;
  return !names.empty() && names.size() <= few ? fmt::format("; the data have {}", fmt::join(names, ", ")) : "";
}

}  // namespace

const void* HostDataMemory::store(const void* bytes_begin, std::size_t bytes) {
  std::vector<std::byte>& piece = pieces_.emplace_back(bytes + 1);  // never empty: an empty array has an address, too
  if (bytes) std::memcpy(piece.data(), bytes_begin, bytes);
  return piece.data();
}

std::vector<double> DataReaderBase::values(const std::string& name, const std::vector<std::size_t>& shape,
                                           const DataBounds& bounds) const {
  const Data::Variable* variable = data_->find(name);
  if (!variable && data_->fault(name)) throw BadInput(*data_->fault(name));
  if (!variable) throw MissingVariable(fmt::format("variable does not exist: {}{}", name, instead(*data_, name)));
  std::size_t wanted = 1;
  for (std::size_t extent : shape) wanted *= extent;
  const bool both_empty = wanted == 0 && variable->values.empty();  // [] stands for any empty array
  if (variable->shape != shape && !both_empty)
    throw BadInput(fmt::format(
        "mismatch in dimension declared and found: {}, declared ({}), found ({}){}", name, fmt::join(shape, ", "),
        fmt::join(variable->shape, ", "),
        wanted == 0 && !shape.empty() ? " (a size is 0 until it has been read: read it before " + name + ")" : ""));
  for (std::size_t i = 0; i < variable->values.size(); ++i) {
    const double x = variable->values[i];
    const auto where = [&] {
      if (shape.empty()) return name;
      std::string index;
      std::size_t rest = i;
      for (std::size_t k = shape.size(); k-- > 0; rest /= shape[k])
        index = std::to_string(rest % shape[k] + 1) + (index.empty() ? "" : ",") + index;
      return fmt::format("{}[{}]", name, index);
    };
    if (!std::isfinite(x))
      throw BadInput(fmt::format("variable contained a value that is not finite: {} is {}", where(), unsigned_nan(x)));
    if (bounds.integer && x != std::floor(x))
      throw BadInput(fmt::format("int variable contained non-int values: {} is {}", where(), x));
    if (x < bounds.low || x > bounds.high)
      throw BadInput(
          fmt::format("variable out of bounds: {} is {}, must be in [{}, {}]", where(), x, bounds.low, bounds.high));
  }
  memory_->numbers_read += variable->values.size();
  return variable->values;
}

void DataReaderBase::throw_too_large(double x) {
  throw BadInput(fmt::format("the data contain {}, which single precision cannot hold: take double precision", x));
}

int DataReaderBase::size(const std::string& name, const DataBounds& bounds) const {
  constexpr double largest = std::numeric_limits<int>::max();
  if (!data_->rows_of_tables().empty() && !data_->find(name) && !data_->fault(name)) {
    const std::optional<std::size_t> rows = data_->rows();
    if (rows && name == "N") {  // which nobody counts by hand
      Data counted;
      counted.set(name, *rows);
      return DataReaderBase(counted, *memory_).size(name, bounds);
    }
    if (name == "N")
      throw BadInput(
          fmt::format("the tables have {} rows: which is N is not known; write {{\"N\": ...}} in a JSON file "
                      "beside them, or give tables of one length",
                      fmt::join(data_->rows_of_tables(), ", ")));
    if (rows)
      throw BadInput(
          fmt::format("variable does not exist: {}{}; a table gives no size but N, its rows: write {{\"{}\": ...}} "
                      "in a JSON file beside it",
                      name, instead(*data_, name), name));
  }
  return static_cast<int>(values(name, {}, {std::max(bounds.low, 0.0), std::min(bounds.high, largest), true})[0]);
}

}  // namespace manychain
