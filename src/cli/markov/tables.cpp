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

std::string plural(std::uint64_t n, const char* word) { return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s"); }

std::string simulation_described(const Simulation& simulation, const std::string& from) {
  return fmt::format(
      "  simulated         {} of {} steps from {}, seed {}: their shares after the last step, and\n"
      "                    those of the steps of the first of them\n",
      plural(simulation.averages->over_time.rows(), "chain"), simulation.steps, from, simulation.seed);
}

nlohmann::ordered_json simulation_json(const Simulation& simulation) {
  const markov::ErgodicAverages& averages = *simulation.averages;
  return {{"chains", averages.over_time.rows()},
          {"steps", simulation.steps},
          {"seed", simulation.seed},
          {"over_chains", averages.over_chains},
          {"over_time", rows_of(averages.over_time)}};
}

}  // namespace manychain::cli
