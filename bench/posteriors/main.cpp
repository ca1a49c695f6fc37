// Tests whether a run with default settings converges, and to the right answer, on the posteriors of posteriordb.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <regex>

#include "cli/options.hpp"
#include "cli/setting_options.hpp"
#include "list.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/check.hpp"
#include "program.hpp"
#include "report.hpp"
#include "run.hpp"
#include "run/setting_names.hpp"

namespace manychain::posteriors {
namespace {

struct CommandLine {
  Settings settings;
  Source source{MANYCHAIN_POSTERIORS_DATA};
  std::string filter, json, one;
  std::size_t seeds = 20;
  double limit = 0;
  bool list = false, check = false;
};

void declare(CLI::App& app, CommandLine& line) {
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_option("--filter", line.filter, "Only posteriors in whose name this regular expression is found")
      ->type_name("REGEX");
  app.add_option("--seeds", line.seeds, "Runs of each posterior, of one seed and those after it")
      ->check(CLI::PositiveNumber)
      ->check(cli::whole_number)
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--limit", line.limit, "Seconds after which a run is ended, and counts as a failure; default: none")
      ->check(CLI::PositiveNumber)
      ->type_name("X");
  app.add_option("--json", line.json, "Write the figures there, too")->type_name("FILE");
  app.add_option("--data", line.source.folder, "Where the data and the references lie")->type_name("FOLDER");
  app.add_flag("--list", line.list, "Names; nothing is run");
  app.add_flag("--check", line.check, "Check the models, and single precision at their posteriors, instead");
  app.add_option("--one", line.one)->group("");  // what a process of one run is called with
  line.settings.seed = 1;
  cli::add_settings(app, line.settings);
}

/// A line for each, and what is wrong with those that are.
int check_models(const CommandLine& line, const std::vector<Posterior>& chosen) {
  bool all = true;
  fmt::print("{:40}{:>8}{:>10}{:>10}  {:<9}{:>11}{:>11}{:>10}\n", "posterior", "passed", "gradient", "Jacobian",
             "single", "decisions", "positions", "gradient");
  std::string wrong;
  for (const Posterior& posterior : chosen) {
    const ModelCheck check = check_model(posterior.bind(Data::from_file(line.source.data(posterior))));
    const PrecisionCheck& single = check.precision;
    fmt::print("{:40}{:>8}{:>10.1e}{:>10.1e}  {:<9}{:>11.1e}{:>11.1e}{:>10.1e}\n", posterior.name,
               check.passed ? "yes" : "NO", check.gradient.worst_error, check.jacobians.error,
               !single.looked  ? "unseen"
               : single.enough ? "enough"
                               : "NOT",
               single.decisions_changed, single.positions_changed, single.gradient_error);
    std::fflush(stdout);
    if (!check.passed || !single.enough) wrong += "\n" + posterior.name + "\n" + check.table();
    all = all && check.passed;
  }
  fmt::print(
      "\nGradient: the largest error. Jacobian: likewise, of log |det|. Single: whether single precision is enough at "
      "the posterior;\ndecisions, positions: the share of accept decisions that rounding of densities and of "
      "positions may change;\ngradient: its error along the way from one draw to another.\n{}",
      wrong);
  return all ? 0 : 3;
}

int run(const CommandLine& line, const std::vector<std::string>& words) {
  if (!line.one.empty()) {
    for (const Posterior& posterior : posteriors())
      if (posterior.name == line.one) return write_outcome(run_here(posterior, line.source, line.settings)), 0;
    throw BadInput("there is no posterior " + line.one);
  }
  std::regex filter;
  try {
    filter = std::regex(line.filter);
  } catch (const std::regex_error&) {
    throw BadInput("--filter: " + line.filter + " is not a regular expression");
  }
  std::vector<Posterior> chosen;
  for (const Posterior& posterior : posteriors())
    if (std::regex_search(posterior.name, filter)) chosen.push_back(posterior);
  if (chosen.empty()) throw BadInput("--filter: no name matches " + line.filter);
  if (line.list) {
    for (const Posterior& posterior : chosen) fmt::print("{}\n", posterior.name);
    return 0;
  }
  if (line.check) return check_models(line, chosen);
  line.settings.validate();

  std::vector<Line> lines;
  print_heading();
  for (const Posterior& posterior : chosen) {
    Line figures{posterior.name, {}};
    for (std::size_t k = 0; k < line.seeds; ++k) {
      const std::uint64_t seed = line.settings.seed + k;
      std::vector<std::string> child = words;
      for (const std::string& word :
           {std::string("--one"), posterior.name, std::string("--seed"), std::to_string(seed)})
        child.push_back(word);
      figures.outcomes.push_back(run_in_new_process(child, seed, line.limit));
    }
    print_line(figures);
    lines.push_back(figures);
  }
  print_end(lines);
  if (!line.json.empty()) write_json(line.json, options_of(line.settings), lines);
  return 0;
}

}  // namespace
}  // namespace manychain::posteriors

int main(int argc, char** argv) {
  using namespace manychain::posteriors;
  CLI::App app("Runs the posteriors of posteriordb and compares with their reference draws.", "manychain_posteriors");
  CommandLine line;
  declare(app, line);
  return manychain::bench::run_program(app, "manychain_posteriors", argc, argv, [&] {
    return run(line, {argv, argv + argc});
  });
}
