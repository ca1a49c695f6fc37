#include "check/unscaled_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"

namespace manychain {
namespace {

constexpr std::size_t most = 3;
constexpr double ratio = 10, scale = 1000;

/// Numbers of a variable: its column `column` of `columns`.
struct DataColumn {
  std::string variable;
  std::size_t column = 0, columns = 1;
  UnscaledData is;

  double badness(bool scales) const {
    const double from_zero = std::fabs(is.mean) / is.sd / ratio;
    return scales ? std::max({from_zero, is.sd / scale, 1 / (is.sd * scale)}) : from_zero;
  }
};

void find_columns(const std::string& name, const Data::Variable& variable, bool scales,
                  std::vector<DataColumn>& found) {
  if (variable.shape.empty() || variable.shape.size() > 2) return;
  const std::size_t columns = variable.shape.size() == 2 ? variable.shape[1] : 1;
  const std::size_t rows = columns > 0 ? variable.values.size() / columns : 0;
  if (rows < 3) return;
  for (std::size_t c = 0; c < columns; ++c) {
    double mean = 0, squares = 0;
    for (std::size_t r = 0; r < rows; ++r) mean += variable.values[r * columns + c];
    mean /= static_cast<double>(rows);
    for (std::size_t r = 0; r < rows; ++r) squares += std::pow(variable.values[r * columns + c] - mean, 2);
    const double sd = std::sqrt(squares / static_cast<double>(rows - 1));
    DataColumn column{name, c, columns, {columns > 1 ? fmt::format("{}[,{}]", name, c + 1) : name, mean, sd}};
    if (sd > 0 && column.badness(scales) > 1) found.push_back(std::move(column));
  }
}

/// True if the log density at the points is another one when the column is moved. False also where the model does not
/// take it: bounds of the data then say that it is no covariate.
bool counts(const Model& model, const DataColumn& column, const std::vector<double>& points,
            const std::vector<double>& log_densities) {
  const Data& data = *model.bound().bound_data();
  const Data::Variable& variable = *data.find(column.variable);
  std::vector<double> moved = variable.values;
  const double by = variable.integer ? std::ceil(column.is.sd / 4) : column.is.sd / 4;
  for (std::size_t i = column.column; i < moved.size(); i += column.columns) moved[i] += by;
  Data other = data;
  other.set(column.variable, std::move(moved), variable.shape);
  try {
    const auto bound = model.bound().bound_to(other);
    if (!bound || bound->layout.dimension != model.layout().dimension) return false;
    const std::vector<double> there = bound->densities(points, log_densities.size());
    for (std::size_t k = 0; k < there.size(); ++k)
      if (!(std::fabs(there[k] - log_densities[k]) < 1e-3)) return true;
  } catch (const BadInput&) {
    // It does not fit.
  }
  return false;
}

}  // namespace

std::vector<UnscaledData> unscaled_data(const Model& model, const std::vector<double>& points, bool scales) {
  const Data* const data = model.bound().bound_data();
  if (!data || model.layout().dimension == 0) return {};
  std::vector<DataColumn> columns;
  for (const std::string& name : data->names()) find_columns(name, *data->find(name), scales, columns);
  std::stable_sort(columns.begin(), columns.end(),
                   [&](const DataColumn& a, const DataColumn& b) { return a.badness(scales) > b.badness(scales); });
  const std::size_t count = points.size() / model.layout().dimension;
  const std::vector<double> log_densities = model.bound().densities(points, count);
  std::vector<UnscaledData> found;
  for (const DataColumn& column : columns) {
    if (found.size() == most) break;
    if (counts(model, column, points, log_densities)) found.push_back(column.is);
  }
  return found;
}

}  // namespace manychain
