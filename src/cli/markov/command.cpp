// manychain markov: the options, and which of them go with which file.
#include "cli/markov/markov.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <random>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "manychain/core/error.hpp"

namespace manychain::cli {
namespace {

constexpr const char* of_a_chain = "Of a chain";
constexpr const char* of_a_text = "Of a text";

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

int run(const CLI::App& app, const MarkovOptions& options) {
  if (options.file.empty()) throw BadInput("give a file: a chain in FILE.json, or a text in FILE.txt");
  const bool chain = ends_with(options.file, ".json");
  if (!chain && !ends_with(options.file, ".txt")) {
    throw BadInput(options.file + ": a chain is read from FILE.json, a text from FILE.txt");
  }
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_group() != (chain ? of_a_text : of_a_chain)) continue;
    throw BadInput(fmt::format("{} is for {}, and {} is {}", option->get_name(), chain ? "a text" : "a chain",
                               options.file, chain ? "a chain" : "a text"));
  }
  if (options.json == "-" && options.dot == "-") throw BadInput("--json and --dot name the same file -");
  require_outputs({{"--dot", options.dot, &dot_file}, {"--json", options.json, &json_file}},
                  {options.file, options.held_out});
  return chain ? analyse_chain(options) : model_text(options);
}

}  // namespace

std::uint64_t seed_of(const MarkovOptions& options) { return options.seed ? *options.seed : std::random_device{}(); }

Command markov_command(CLI::App& parent) {
  const auto options = std::make_shared<MarkovOptions>();
  CLI::App* app = parent.add_subcommand("markov", "Analyse a finite Markov chain, or model the words of a text");
  app->add_option("FILE", options->file, "A chain in FILE.json, or a text in FILE.txt");
  app->add_option("--steps", options->steps, "Print this power of the transition matrix, and where `initial` gets")
      ->type_name("N")
      ->check(whole_number)
      ->group(of_a_chain);
  app->add_option("--simulate", options->simulate, "Simulate so many chains for --steps (1000 unless given)")
      ->type_name("CHAINS")
      ->check(whole_number)
      ->group(of_a_chain);
  app->add_option("--epsilon", options->epsilon, "Total variation that counts as mixed")
      ->capture_default_str()
      ->type_name("X")
      ->group(of_a_chain);
  app->add_option("--dot", options->dot, "Write the state-transition diagram for Graphviz; -: to stdout")
      ->type_name("FILE")
      ->group(of_a_chain);
  app->add_option("--json", options->json, "Write all of it as one JSON object; -: to stdout, and the rest to stderr")
      ->type_name("FILE")
      ->group(of_a_chain);
  app->add_option("--order", options->order, "Words that the next one depends on")
      ->capture_default_str()
      ->type_name("M")
      ->check(whole_number)
      ->group(of_a_text);
  app->add_option("--generate", options->generate, "New words, punctuation marks among them")
      ->capture_default_str()
      ->type_name("N")
      ->check(whole_number)
      ->group(of_a_text);
  app->add_option("--seed", options->seed,
                  "Seed of new words or simulated chains; default: a new one, which is printed")
      ->type_name("N")
      ->check(whole_number);
  app->add_option("--prompt", options->prompt, "What the new words follow")->type_name("TEXT")->group(of_a_text);
  app->add_option("--smoothing", options->smoothing, "Added to each count in likelihoods; 0 is maximum likelihood")
      ->capture_default_str()
      ->type_name("A")
      ->group(of_a_text);
  app->add_option("--held-out", options->held_out, "Another text, to judge the model by")
      ->type_name("FILE.txt")
      ->group(of_a_text);
  app->footer(
      "FILE.json: {\"transition_matrix\": [[0.4, 0.6], [0.5, 0.5]], \"states\": [\"rain\", \"sun\"],\n"
      "\"initial\": [1, 0]}. Row i is the distribution of the state after state i; states and initial may be left "
      "out.\nA chain that changes with time has \"transition_matrices\": [...], one per step, and \"repeat\": the last "
      "so "
      "many\nof them follow again and again (1 unless given: the last one stays).");
  return {app, [app, options] { return run(*app, *options); }};
}

}  // namespace manychain::cli
