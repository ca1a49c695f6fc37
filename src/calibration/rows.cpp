#include "calibration/rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"

namespace manychain {
namespace {

/// The names of all scalars of the data that are whole and as large as that.
std::vector<std::string> counts(const Data& data, std::size_t rows) {
  std::vector<std::string> found;
  for (const std::string& name : data.names()) {
    const Data::Variable& variable = *data.find(name);
    if (variable.shape.empty() && variable.integer && variable.values[0] == static_cast<double>(rows))
      found.push_back(name);
  }
  return found;
}

/// The elements of a variable whose indices along the axes that count rows are kept.
Data::Variable kept_of(const Data::Variable& variable, std::size_t rows, const std::vector<bool>& keep) {
  Data::Variable kept{variable.shape, {}, variable.integer};
  const bool square = variable.shape.size() == 2 && variable.shape[1] == rows;
  const auto left = static_cast<std::size_t>(std::count(keep.begin(), keep.end(), true));
  kept.shape[0] = left;
  if (square) kept.shape[1] = left;
  const std::size_t of_row = variable.values.size() / rows;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; keep[r] && i < of_row; ++i)
      if (!square || keep[i]) kept.values.push_back(variable.values[r * of_row + i]);
  return kept;
}

}  // namespace

ObservedRows observed_rows_of(const Model& model) {
  const auto refuse = [&](const std::string& why) {
    throw BadInput(fmt::format("rows of model {} cannot be left out: {}", model.name(), why));
  };
  const Data* const data = model.bound().bound_data();
  if (!data) refuse("its data have no names");
  ObservedRows rows;
  for (const Observed& observed : model.layout().observed) {
    const Data::Variable* const variable = data->find(observed.name);
    if (!variable || variable->shape.empty() || variable->shape[0] != observed.rows)
      refuse(fmt::format("observe(\"{}\") has {} rows, and no variable of the data of that name has as many",
                         observed.name, observed.rows));
    if (!rows.names.empty() && observed.rows != rows.count)
      refuse(fmt::format("{} has {} rows, and {} has {}", rows.names[0], rows.count, observed.name, observed.rows));
    rows.names.push_back(observed.name);
    rows.count = observed.rows;
  }
  if (rows.names.empty()) refuse("it has no observe(), which says what the data terms are");
  const std::vector<std::string> counting = counts(*data, rows.count);
  if (counting.size() > 1)
    refuse(fmt::format("{} are {} all of them, and which counts the rows is not known", fmt::join(counting, ", "),
                       rows.count));
  if (counting.empty() && data->rows() != rows.count)
    refuse(fmt::format("no whole number of the data is {}, the number of rows", rows.count));
  rows.size = counting.empty() ? "" : counting[0];
  return rows;
}

Data with_rows(const Data& data, const ObservedRows& rows, const std::vector<bool>& keep) {
  Data kept;
  for (const std::string& name : data.names()) {
    const Data::Variable& variable = *data.find(name);
    if (name == rows.size) continue;
    if (!variable.shape.empty() && variable.shape[0] == rows.count) {
      const Data::Variable some = kept_of(variable, rows.count, keep);
      kept.set(name, some.values, some.shape);
    } else {
      kept.set(name, variable.values, variable.shape);
    }
  }
  const auto left = static_cast<std::size_t>(std::count(keep.begin(), keep.end(), true));
  kept.set(rows.size.empty() ? "N" : rows.size, left);
  return kept;
}

}  // namespace manychain
