// The shared part of the tables and the JSON of a chain of one matrix and of several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "manychain/markov/matrix.hpp"
#include "manychain/markov/simulate.hpp"
#include "manychain/markov/transition_matrix.hpp"

namespace manychain::cli {

inline constexpr std::size_t states_shown = 40;
inline constexpr std::size_t columns_shown = 10;

/// Six digits.
std::string cell(double value);

/// Labels of the states in tables and in the JSON: their names, or their numbers from 1.
std::vector<std::string> state_names(const markov::TransitionMatrix& p);

/// A matrix of few states with their names; of many a line that says where it is.
std::string power_table(const std::vector<std::string>& names, const markov::Matrix& power);

nlohmann::ordered_json rows_of(const markov::Matrix& m);

/// The simulation that --simulate asked for.
struct Simulation {
  std::optional<markov::ErgodicAverages> averages;
  std::uint64_t steps = 1000, seed = 0;
};
/// Describes a simulation that was made, in words and as JSON. `from`: where its chains started.
std::string simulation_described(const Simulation& simulation, const std::string& from);
nlohmann::ordered_json simulation_json(const Simulation& simulation);

/// "1 step", "7 steps"
std::string plural(std::uint64_t n, const char* word);

}  // namespace manychain::cli
