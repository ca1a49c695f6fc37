// The benchmark binary; bench/README.md says how to read it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <regex>
#include <thread>

#include "bias.hpp"
#include "cases.hpp"
#include "compare.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/engine.hpp"
#include "program.hpp"
#include "report.hpp"
#include "run/setting_names.hpp"
#include "run/setting_table.hpp"

namespace manychain::bench {
namespace {

struct CommandLine {
  Options options;
  std::string filter, json, first_draw;
  bool list = false, compare = false, neighbour = false, bias = false;
};

/// A measurement is in one precision.
Words<Precision> one_precision() {
  return {{"single", Precision::single_precision}, {"double", Precision::double_precision}};
}

void declare(CLI::App& app, CommandLine& line) {
  app.add_option("--backend", line.options.backend, "auto, cpu or cuda")
      ->transform(CLI::CheckedTransformer(backend_words()).description(""))
      ->type_name("NAME");
  app.add_option("--threads", line.options.threads, "CPU threads; default: all there are")->check(CLI::PositiveNumber);
  app.add_flag("--scalar", line.options.scalar, "CPU: one chain per lane of width one");
  app.add_option("--precision", line.options.precision, "single or double")
      ->transform(CLI::CheckedTransformer(one_precision()).description(""))
      ->type_name("NAME");
  app.add_option("--filter", line.filter, "only names in which this regular expression is found")->type_name("REGEX");
  app.add_option("--json", line.json, "write the figures there, too")->type_name("FILE");
  app.add_flag("--list", line.list, "names, nothing is run");
  app.add_option("--seconds", line.options.seconds, "measured of each throughput case; default 0.5")
      ->check(CLI::PositiveNumber);
  app.add_flag("--compare", line.compare,
               "ratios instead: packs to scalar, two threads to one, definition to by hand, streaming to bare");
  app.add_flag("--neighbour", line.neighbour, "ratios instead: two threads to one, alone and beside busy processes");
  app.add_flag("--bias", line.bias,
               "gradients of a chain from a cold start until second moments are right, where they are known");
  app.add_option("--first-draw", line.first_draw)->group("");  // what a cold start calls
}

void resolve(CommandLine& line) {
  Options& options = line.options;
  std::string why;
  if (options.backend == Backend::automatic) {
    // --scalar, --threads and --neighbour are of the CPU.
    const bool cpu = options.scalar || options.threads > 0 || line.neighbour || !cuda_available();
    options.backend = cpu ? Backend::cpu : Backend::cuda;
  } else if (options.backend == Backend::cuda && !cuda_available(&why)) {
    throw BadInput("backend cuda: " + why + "; take --backend cpu");
  }
  if (options.backend == Backend::cuda && options.scalar)
    throw BadInput("--scalar is of the CPU; leave out the backend");
  if (options.backend == Backend::cuda && line.neighbour)
    throw BadInput("--neighbour is of the CPU; leave out the backend");
  if (options.threads == 0)
    options.threads =
        options.backend == Backend::cuda ? 1 : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int run(const CommandLine& line) {
  const bool cuda = line.options.backend == Backend::cuda;
  if (!line.first_draw.empty()) {
    for (const Case& what : all_cases(cuda))
      if (what.name() == line.first_draw) return first_draw(what, line.options);
    throw BadInput("there is no case " + line.first_draw);
  }

  std::regex filter;
  try {
    filter = std::regex(line.filter);
  } catch (const std::regex_error&) {
    throw BadInput("--filter: " + line.filter + " is not a regular expression");
  }
  const auto wanted = [&](const std::string& name) { return std::regex_search(name, filter); };
  std::vector<Case> cases;
  std::vector<Pair> pairs;
  std::vector<BiasCase> biases;
  if (line.bias)
    for (const BiasCase& what : bias_cases())
      if (wanted(what.name())) biases.push_back(what);
  if (line.compare || line.neighbour) {
    std::vector<std::vector<Pair>> all;
    if (line.compare && !cuda) all = {engine_pairs(line.options), gradient_pairs(line.options.precision)};
    if (line.compare) all.push_back(streaming_pairs(line.options));
    if (line.neighbour) all.push_back(neighbour_pairs(line.options));
    for (const std::vector<Pair>& some : all)
      for (const Pair& pair : some)
        if (wanted(pair.name)) pairs.push_back(pair);
  } else if (!line.bias) {
    for (const Case& what : all_cases(cuda))
      if (wanted(what.name()) && (!line.options.scalar || has_scalar(what))) cases.push_back(what);
  }
  if (cases.empty() && pairs.empty() && biases.empty()) throw BadInput("--filter: no name matches " + line.filter);
  if (line.list) {
    for (const Case& what : cases) fmt::print("{}\n", what.name());
    for (const Pair& pair : pairs) fmt::print("{}\n", pair.name);
    for (const BiasCase& what : biases) fmt::print("{}\n", what.name());
    return 0;
  }

  const Peak peak = cuda ? cuda_peak(line.options.precision) : cpu_peak(line.options.threads, line.options.precision);
  const Context context = context_of(line.options, peak);
  print_context(context, line.options);
  std::vector<Figure> figures;
  std::vector<Comparison> comparisons;
  std::optional<Kind> heading;
  for (const Case& what : cases) {
    if (heading != what.kind) print_heading(what.kind);
    heading = what.kind;
    figures.push_back(run_case(what, line.options, peak));
    print_figure(figures.back());
  }
  for (const Pair& pair : pairs) {
    comparisons.push_back(compare(pair, 4 * line.options.seconds));
    print_comparison(comparisons.back());
  }
  std::vector<BiasFigure> bias_figures;
  if (!biases.empty()) print_bias_heading();
  for (const BiasCase& what : biases) {
    bias_figures.push_back(run_bias(what, line.options));
    print_bias(bias_figures.back());
  }
  if (!biases.empty()) print_bias_end();
  if (!line.json.empty()) write_json(line.json, context, line.options, figures, comparisons, bias_figures);
  return 0;
}

}  // namespace
}  // namespace manychain::bench

int main(int argc, char** argv) {
  using namespace manychain::bench;
  CLI::App app("Measures transitions, gradients and effective draws a second.", "manychain_bench");
  CommandLine line;
  declare(app, line);
  return run_program(app, "manychain_bench", argc, argv, [&] {
    resolve(line);
    return run(line);
  });
}
