// A chain from a JSON file: what there is to say of one matrix, for the terminal and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/markov/markov.hpp"
#include "cli/markov/tables.hpp"
#include "core/read_file.hpp"
#include "core/version.hpp"
#include "manychain/core/error.hpp"
#include "manychain/markov/mixing.hpp"
#include "manychain/markov/simulate.hpp"
#include "manychain/markov/stationary.hpp"
#include "text/suggest.hpp"
#include "text/text_table.hpp"

namespace manychain::cli {
namespace {

using Json = nlohmann::ordered_json;
using markov::Matrix;
using markov::TransitionMatrix;

struct Chain {
  TransitionMatrix p;
  std::vector<double> initial;                         // empty where none is given
  std::optional<markov::InhomogeneousChain> changing;  // where there are several matrices; p is the first
};

/// Everything that is computed, once.
struct Analysis {
  markov::Structure structure;
  std::vector<std::vector<double>> stationary;
  Matrix absorption;
  markov::DetailedBalance balance;
  markov::Spectrum spectrum;
  std::optional<std::uint64_t> mixing_time;
  std::optional<Matrix> power;
  std::vector<double> evolved;
  Simulation simulation;
};

std::vector<double> numbers(const Json& json, const std::string& what) {
  if (!json.is_array()) throw BadInput(what + " is not an array");
  std::vector<double> out;
  for (const Json& value : json) {
    if (!value.is_number()) throw BadInput(fmt::format("{}: entry {} is not a number", what, out.size() + 1));
    out.push_back(value.get<double>());
  }
  return out;
}

std::vector<std::vector<double>> rows_in(const Json& matrix, const std::string& what) {
  if (!matrix.is_array()) throw BadInput(what + " is not an array of rows");
  std::vector<std::vector<double>> rows;
  for (const Json& row : matrix) rows.push_back(numbers(row, fmt::format("{}: row {}", what, rows.size() + 1)));
  return rows;
}

/// The names of the states; nothing if the file gives none.
std::optional<std::vector<std::string>> names_in(const Json& json) {
  if (!json.contains("states")) return {};
  if (!json["states"].is_array()) throw BadInput("states is not an array of names");
  std::vector<std::string> names;
  for (const Json& name : json["states"]) {
    if (!name.is_string()) throw BadInput(fmt::format("states: entry {} is not a string", names.size() + 1));
    names.push_back(name.get<std::string>());
    for (char& c : names.back()) c = c >= '\0' && c < ' ' ? ' ' : c;
  }
  return names;
}

/// The rows of a matrix of the file; throws unless there are as many names, if any are given.
std::vector<std::vector<double>> rows_in(const Json& matrix, const std::string& what,
                                         const std::optional<std::vector<std::string>>& names) {
  std::vector<std::vector<double>> rows = rows_in(matrix, what);
  if (names && names->size() != rows.size())
    throw BadInput(fmt::format("states: {} names for {} states", names->size(), rows.size()));
  return rows;
}

/// The matrices of a chain that changes with time, and how many of them repeat.
markov::InhomogeneousChain changing_of(const Json& json, const std::optional<std::vector<std::string>>& names) {
  const Json& list = json["transition_matrices"];
  if (!list.is_array()) throw BadInput("transition_matrices is not an array of matrices");
  std::vector<TransitionMatrix> matrices;
  for (const Json& matrix : list) {
    const std::string what = fmt::format("transition_matrices: matrix {}", matrices.size() + 1);
    const auto rows = rows_in(matrix, what, names);
    try {
      matrices.emplace_back(rows, names.value_or(std::vector<std::string>()));
    } catch (const BadInput& error) {
      throw BadInput(fmt::format("matrix {}: {}", matrices.size() + 1, error.what()));
    }
  }
  std::size_t repeat = 1;
  if (json.contains("repeat")) {
    const Json& value = json["repeat"];
    if (!value.is_number_integer() || value < 1) throw BadInput("repeat is not a whole number from 1 up");
    repeat = value.get<std::size_t>();
  }
  return markov::InhomogeneousChain(std::move(matrices), repeat);
}

Chain chain_of(const Json& json) {
  if (!json.is_object()) throw BadInput("JSON: a chain is one object, {\"transition_matrix\": [[...], ...]}");
  const std::vector<std::string> keys = {"transition_matrix", "transition_matrices", "repeat", "states", "initial"};
  for (const auto& [key, value] : json.items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    std::string word = key.substr(0, 40);
    for (char& c : word) c = c >= '\0' && c < ' ' ? ' ' : c;  // an error is one line, whatever the file holds
    throw BadInput(
        fmt::format("there is no use for {}{}; there are {}", word, did_you_mean(word, keys), fmt::join(keys, ", ")));
  }
  const bool several = json.contains("transition_matrices");
  if (several == json.contains("transition_matrix")) {
    throw BadInput(several ? "give transition_matrix or transition_matrices, not both"
                           : "transition_matrix is missing");
  }
  if (json.contains("repeat") && !several) throw BadInput("repeat is for transition_matrices");
  const std::optional<std::vector<std::string>> names = names_in(json);
  const auto chain_from = [&] {
    if (several) {
      markov::InhomogeneousChain changing = changing_of(json, names);
      return Chain{changing.matrices()[0], {}, changing};
    }
    const auto rows = rows_in(json["transition_matrix"], "transition_matrix", names);
    return Chain{TransitionMatrix(rows, names.value_or(std::vector<std::string>())), {}, {}};
  };
  Chain chain = chain_from();
  if (json.contains("initial")) {
    chain.initial = numbers(json["initial"], "initial");
    markov::check_distribution(chain.initial, chain.p.states(), "initial");
  }
  return chain;
}

Chain read_chain(const std::string& path) {
  const std::string text = read_file(path);
  try {
    return chain_of(Json::parse(text));
  } catch (const Json::parse_error& error) {
    throw BadInput(fmt::format("{}: JSON: offset {}: this is not JSON", path, error.byte == 0 ? 0 : error.byte - 1));
  } catch (const Json::out_of_range& error) {
    throw BadInput(fmt::format("{}: JSON: a number is too large", path));
  } catch (const BadInput& error) {
    throw BadInput(path + ": " + error.what());
  }
}

Analysis analyse(const Chain& chain, const MarkovOptions& options) {
  const TransitionMatrix& p = chain.p;
  Analysis a;
  a.mixing_time = markov::mixing_time(p, options.epsilon);  // first: it refuses a bad epsilon
  a.structure = markov::structure(p);
  a.stationary = stationary_distributions(p, a.structure);
  a.absorption = absorption_probabilities(p, a.structure);
  a.balance = markov::detailed_balance(p);
  a.spectrum = markov::spectrum(p);
  if (options.steps) {
    a.power = p.power(*options.steps).matrix();
    a.simulation.steps = *options.steps;
    if (!chain.initial.empty()) a.evolved = p.evolve(chain.initial, *options.steps);
  }
  if (options.simulate) {
    std::vector<double> initial = chain.initial;
    if (initial.empty()) {
      initial.assign(p.states(), 0);
      initial[0] = 1;
    }
    a.simulation.seed = seed_of(options);
    a.simulation.averages =
        markov::ergodic_averages(p, initial, *options.simulate, a.simulation.steps, a.simulation.seed);
    a.evolved = p.evolve(initial, a.simulation.steps);
  }
  return a;
}

std::string verdict(const markov::Structure& s) {
  if (s.regular()) return "Regular: irreducible and aperiodic.";
  if (s.irreducible()) return fmt::format("Irreducible, with period {}; not regular.", s.period(0));
  return fmt::format("Reducible: {} communicating classes, {} of them closed; not regular.", s.classes.size(),
                     s.closed_classes());
}

/// One line a state: its class, and what there is in the long run. Classes are numbered from 1, as states are.
std::string state_table(const TransitionMatrix& p, const Analysis& a) {
  const std::size_t closed = std::min(a.stationary.size(), columns_shown);
  std::vector<std::size_t> label;  // of each closed class
  for (std::size_t c = 0; c < a.structure.classes.size(); ++c) {
    if (a.structure.classes[c].closed) label.push_back(c + 1);
  }
  const bool absorbing = a.stationary.size() > 1 && a.structure.classes.size() > a.stationary.size();
  std::vector<std::vector<std::string>> cells = {{"state", "class", "", "period"}};
  for (std::size_t c = 0; c < closed; ++c) {
    cells[0].push_back(a.stationary.size() > 1 ? fmt::format("stationary[{}]", label[c]) : "stationary");
  }
  for (std::size_t c = 0; absorbing && c < closed; ++c) cells[0].push_back(fmt::format("ends in [{}]", label[c]));
  if (!a.evolved.empty()) cells[0].push_back("after steps");
  if (a.simulation.averages) cells[0].insert(cells[0].end(), {"of the chains", "of one's time"});
  for (std::size_t i = 0; i < std::min(p.states(), states_shown); ++i) {
    const std::size_t period = a.structure.period(i);
    std::vector<std::string> line = {p.name(i), std::to_string(a.structure.class_of[i] + 1),
                                     a.structure.recurrent(i) ? "positive recurrent" : "transient",
                                     period > 0 ? std::to_string(period) : "-"};
    for (std::size_t c = 0; c < closed; ++c) line.push_back(cell(a.stationary[c][i]));
    for (std::size_t c = 0; absorbing && c < closed; ++c) line.push_back(cell(a.absorption(i, c)));
    if (!a.evolved.empty()) line.push_back(cell(a.evolved[i]));
    if (a.simulation.averages) {
      line.push_back(cell(a.simulation.averages->over_chains[i]));
      line.push_back(cell(a.simulation.averages->over_time(0, i)));
    }
    cells.push_back(std::move(line));
  }
  std::string text = text_table(cells);
  if (p.states() > states_shown)
    text += fmt::format("... and {} more states; --json has them.\n", p.states() - states_shown);
  if (a.stationary.size() > closed) {
    text += fmt::format("... and {} more closed classes; --json has them.\n", a.stationary.size() - closed);
  }
  return text;
}

void print(std::FILE* to, const Chain& chain, const Analysis& a, const MarkovOptions& options) {
  const TransitionMatrix& p = chain.p;
  say(to, "manychain {}: {}, {} state{}\n", version, options.file, p.states(), p.states() == 1 ? "" : "s");
  say(to, "{}\n", verdict(a.structure));
  say(to, "  detailed balance  {}; the worst |pi_i P_ij - pi_j P_ji| is {:.3g}{}\n",
      a.balance.reversible ? "reversible" : "not reversible", a.balance.worst,
      a.balance.worst > 0 ? fmt::format(", of {} and {}", p.name(a.balance.from), p.name(a.balance.to)) : "");
  say(to, "  spectral gap      {:.6g}; relaxation time {:.6g}\n", a.spectrum.gap, a.spectrum.relaxation_time);
  const std::string within = fmt::format("to a total variation of {:g}", options.epsilon);
  if (a.mixing_time) {
    say(to, "  mixing time       {} {}\n", *a.mixing_time, within);
  } else {
    say(to, "  mixing time       infinite: {}\n",
        a.structure.closed_classes() > 1 ? "where it ends depends on where it starts"
        : !a.structure.converges()       ? "it is periodic"
                                         : "more than 2^62 steps");
  }
  if (a.simulation.averages)
    say(to, "{}",
        simulation_described(a.simulation, !chain.initial.empty() ? "the initial distribution" : "state " + p.name(0)));
  say(to, "\n{}", state_table(p, a));
  if (a.power) {
    say(to, "\nAfter {} step{}: row i is the distribution from state i{}.\n{}", *options.steps,
        *options.steps == 1 ? "" : "s", a.evolved.empty() ? "" : "; that from the start is above, as \"after steps\"",
        power_table(state_names(p), *a.power));
  }
}

std::string to_json(const Chain& chain, const Analysis& a, const MarkovOptions& options) {
  const TransitionMatrix& p = chain.p;
  Json json;
  json["manychain"] = version;
  json["file"] = options.file;
  Json recurrent = Json::array(), period = Json::array(), classes = Json::array();
  for (std::size_t i = 0; i < p.states(); ++i) {
    recurrent.push_back(a.structure.recurrent(i));
    period.push_back(a.structure.period(i));
  }
  for (const markov::CommunicatingClass& c : a.structure.classes) {
    Json members = Json::array();
    for (std::size_t s : c.states) members.push_back(p.name(s));
    classes.push_back({{"states", members}, {"closed", c.closed}, {"period", c.period}});
  }
  json["states"] = state_names(p);
  json["irreducible"] = a.structure.irreducible();
  json["regular"] = a.structure.regular();
  json["classes"] = classes;
  json["positive_recurrent"] = recurrent;
  json["period"] = period;
  json["stationary_distributions"] = a.stationary;
  json["absorption_probabilities"] = rows_of(a.absorption);
  json["reversible"] = a.balance.reversible;
  json["detailed_balance"] = {{"worst", a.balance.worst},
                              {"from", p.name(a.balance.from)},
                              {"to", p.name(a.balance.to)},
                              {"worst_relative", a.balance.worst_relative}};
  json["spectral_gap"] = a.spectrum.gap;
  json["relaxation_time"] = a.spectrum.relaxation_time;  // infinite: null, as everywhere
  json["epsilon"] = options.epsilon;
  json["mixing_time"] = a.mixing_time ? Json(*a.mixing_time) : Json();
  if (a.power) {
    json["steps"] = *options.steps;
    json["power"] = rows_of(*a.power);
  }
  if (!a.evolved.empty()) json["distribution"] = a.evolved;
  if (a.simulation.averages) json["simulation"] = simulation_json(a.simulation);
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

int analyse_chain(const MarkovOptions& options) {
  const Chain chain = read_chain(options.file);
  if (chain.changing) return analyse_changing(*chain.changing, chain.initial, options);
  const Analysis analysis = analyse(chain, options);
  // Output for a program has stdout to itself; everything that is for people goes to stderr then.
  print(options.json == "-" || options.dot == "-" ? stderr : stdout, chain, analysis, options);
  if (options.json == "-") {
    say(stdout, "{}\n", to_json(chain, analysis, options));
  } else if (!options.json.empty()) {
    write_text(options.json, to_json(chain, analysis, options));
  }
  std::string dot = markov::to_dot(chain.p);
  dot.pop_back();
  if (options.dot == "-") {
    say(stdout, "{}\n", dot);
  } else if (!options.dot.empty()) {
    write_text(options.dot, dot);
  }
  return success;
}

}  // namespace manychain::cli
