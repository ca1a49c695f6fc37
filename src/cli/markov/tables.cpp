#include "cli/markov/tables.hpp"

#include <fmt/format.h>

#include "text/text_table.hpp"

namespace manychain::cli {

std::string cell(double value) { return fmt::format("{:.6g}", value); }

std::vector<std::string> state_names(const markov::TransitionMatrix& p) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < p.states(); ++i) names.push_back(p.name(i));
  return names;
}

std::string power_table(const std::vector<std::string>& names, const markov::Matrix& power) {
  if (names.size() > columns_shown) {
    return fmt::format("  {} x {} entries; --json has them.\n", names.size(), names.size());
  }
  std::vector<std::vector<std::string>> cells = {{""}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    cells[0].push_back(names[i]);
    cells.push_back({names[i]});
    for (std::size_t j = 0; j < names.size(); ++j) cells.back().push_back(cell(power(i, j)));
  }
  return text_table(cells);
}

nlohmann::ordered_json rows_of(const markov::Matrix& m) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < m.rows(); ++i) rows.push_back(std::vector<double>(m.row(i), m.row(i) + m.columns()));
  return rows;
}

}  // namespace manychain::cli
