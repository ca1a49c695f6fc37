// A chain whose matrix changes with time, from a JSON file, for the terminal and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/markov/markov.hpp"
#include "cli/markov/tables.hpp"
#include "core/version.hpp"
#include "manychain/core/error.hpp"
#include "manychain/markov/simulate.hpp"
#include "manychain/markov/structure.hpp"
#include "text/text_table.hpp"

namespace manychain::cli {
namespace {

using Json = nlohmann::ordered_json;
using markov::InhomogeneousChain;

constexpr std::size_t steps_shown = 20;

/// Everything that is computed, once.
struct ChangingAnalysis {
  markov::LongRun run;
  std::string verdict;
  std::vector<double> coefficients, products;  // Dobrushin's: of each matrix; of the first 1, 2, .. of them together
  double of_round = 0;
  std::optional<std::uint64_t> forgetting_time;
  std::optional<markov::Matrix> product;
  std::vector<double> evolved;
  Simulation simulation;
};

std::string verdict(const InhomogeneousChain& chain, const markov::LongRun& run) {
  if (run.settles) return "Strongly ergodic: it forgets its start and settles.";
  if (run.forgets_start) {
    return fmt::format("Weakly ergodic: it forgets its start, and its distribution goes round {} limits.",
                       run.limits.size());
  }
  return fmt::format("Not ergodic: {}.", markov::structure(chain.round()).closed_classes() > 1
                                             ? "where it ends depends on where it starts"
                                             : "the round of the matrices that repeat is periodic");
}

ChangingAnalysis analyse(const InhomogeneousChain& chain, std::vector<double> initial, const MarkovOptions& options) {
  ChangingAnalysis a;
  a.forgetting_time = forgetting_time(chain, options.epsilon);  // first: it refuses a bad epsilon
  a.run = long_run(chain);
  a.verdict = verdict(chain, a.run);
  for (std::size_t k = 0; k < chain.matrices().size(); ++k) {
    a.coefficients.push_back(dobrushin_coefficient(chain.matrices()[k]));
    a.products.push_back(dobrushin_coefficient(chain.product(0, k + 1)));
  }
  a.of_round = dobrushin_coefficient(chain.round());
  if (options.steps) {
    a.product = chain.product(0, *options.steps).matrix();
    a.simulation.steps = *options.steps;
    if (!initial.empty()) a.evolved = chain.evolve(initial, a.simulation.steps);
  }
  if (options.simulate) {
    if (initial.empty()) {
      initial.assign(chain.states(), 0);
      initial[0] = 1;
    }
    a.simulation.seed = seed_of(options);
    a.simulation.averages = ergodic_averages(chain, initial, *options.simulate, a.simulation.steps, a.simulation.seed);
    a.evolved = chain.evolve(initial, a.simulation.steps);
  }
  return a;
}

std::string coefficient_table(const ChangingAnalysis& a) {
  std::vector<std::vector<std::string>> cells = {{"matrix", "coefficient", "of all so far"}};
  for (std::size_t k = 0; k < std::min(a.coefficients.size(), steps_shown); ++k) {
    cells.push_back({std::to_string(k + 1), cell(a.coefficients[k]), cell(a.products[k])});
  }
  std::string text = text_table(cells);
  if (a.coefficients.size() > steps_shown) {
    text += fmt::format("... and {} more matrices; --json has them.\n", a.coefficients.size() - steps_shown);
  }
  return text;
}

/// One line a state: the limits, one after each matrix that repeats, and where the start has got.
std::string state_table(const InhomogeneousChain& chain, const ChangingAnalysis& a) {
  const std::size_t limits = std::min(a.run.settles ? 1 : a.run.limits.size(), columns_shown);
  const std::size_t first = chain.matrices().size() - chain.repeat();
  std::vector<std::vector<std::string>> cells = {{"state"}};
  for (std::size_t k = 0; k < limits; ++k) {
    cells[0].push_back(a.run.settles ? "limit" : fmt::format("limit after matrix {}", first + k + 1));
  }
  if (!a.evolved.empty()) cells[0].push_back("after steps");
  if (a.simulation.averages) cells[0].insert(cells[0].end(), {"of the chains", "of one's time"});
  if (cells[0].size() == 1) return "";
  for (std::size_t i = 0; i < std::min(chain.states(), states_shown); ++i) {
    std::vector<std::string> line = {chain.name(i)};
    for (std::size_t k = 0; k < limits; ++k) line.push_back(cell(a.run.limits[k][i]));
    if (!a.evolved.empty()) line.push_back(cell(a.evolved[i]));
    if (a.simulation.averages)
      line.insert(line.end(),
                  {cell(a.simulation.averages->over_chains[i]), cell(a.simulation.averages->over_time(0, i))});
    cells.push_back(std::move(line));
  }
  std::string text = "\n" + text_table(cells);
  if (chain.states() > states_shown) {
    text += fmt::format("... and {} more states; --json has them.\n", chain.states() - states_shown);
  }
  if (!a.run.settles && a.run.limits.size() > limits) {
    text += fmt::format("... and {} more limits; --json has them.\n", a.run.limits.size() - limits);
  }
  return text;
}

void print(std::FILE* to, const InhomogeneousChain& chain, bool starts_somewhere, const ChangingAnalysis& a,
           const MarkovOptions& options) {
  say(to, "manychain {}: {}, {}, {}, of which the last {}\n", version, options.file, plural(chain.states(), "state"),
      chain.matrices().size() == 1 ? "1 matrix" : fmt::format("{} matrices", chain.matrices().size()),
      chain.repeat() == 1 ? "one stays" : fmt::format("{} repeat", chain.repeat()));
  say(to, "{}\n", a.verdict);
  say(to, "  one round         leaves at most {:.6g} of the distance of two distributions (Dobrushin's coefficient)\n",
      a.of_round);
  say(to, "  forgetting time   {} to a total variation of {:g}\n",
      a.forgetting_time ? std::to_string(*a.forgetting_time) : "infinite", options.epsilon);
  if (a.simulation.averages)
    say(to, "{}",
        simulation_described(a.simulation, starts_somewhere ? "the initial distribution" : "state " + chain.name(0)));
  say(to, "\n{}{}", coefficient_table(a), state_table(chain, a));
  if (a.product) {
    say(to, "\nAfter {}: row i is the distribution from state i{}.\n{}", plural(*options.steps, "step"),
        a.evolved.empty() ? "" : "; that from the start is above, as \"after steps\"",
        power_table(state_names(chain.matrices()[0]), *a.product));
  }
}

std::string to_json(const InhomogeneousChain& chain, const ChangingAnalysis& a, const MarkovOptions& options) {
  Json json;
  json["manychain"] = version;
  json["file"] = options.file;
  json["states"] = state_names(chain.matrices()[0]);
  json["matrices"] = chain.matrices().size();
  json["repeat"] = chain.repeat();
  json["weakly_ergodic"] = a.run.forgets_start;
  json["strongly_ergodic"] = a.run.settles;
  json["limits"] = a.run.limits;
  json["dobrushin_coefficients"] = a.coefficients;
  json["dobrushin_coefficients_of_products"] = a.products;
  json["dobrushin_coefficient_of_round"] = a.of_round;
  json["epsilon"] = options.epsilon;
  json["forgetting_time"] = a.forgetting_time ? Json(*a.forgetting_time) : Json();
  if (a.product) {
    json["steps"] = *options.steps;
    json["product"] = rows_of(*a.product);
  }
  if (!a.evolved.empty()) json["distribution"] = a.evolved;
  if (a.simulation.averages) json["simulation"] = simulation_json(a.simulation);
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

int analyse_changing(const InhomogeneousChain& chain, const std::vector<double>& initial,
                     const MarkovOptions& options) {
  if (!options.dot.empty()) throw BadInput(options.file + ": --dot is for a chain of one matrix");
  const ChangingAnalysis analysis = analyse(chain, initial, options);
  print(options.json == "-" ? stderr : stdout, chain, !initial.empty(), analysis, options);
  if (options.json == "-") {
    say(stdout, "{}\n", to_json(chain, analysis, options));
  } else if (!options.json.empty()) {
    write_text(options.json, to_json(chain, analysis, options));
  }
  return success;
}

}  // namespace manychain::cli
