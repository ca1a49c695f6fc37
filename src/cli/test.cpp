// manychain test: is a model right? Against the draws of another program, or against data that it simulates itself.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "calibration/calibration.hpp"
#include "calibration/reference.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_source.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/setting_options.hpp"
#include "core/version.hpp"
#include "io/read_reference.hpp"
#include "io/test_output.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/output.hpp"
#include "manychain/run/check.hpp"
#include "run/setting_names.hpp"

namespace manychain::cli {
namespace {

constexpr std::size_t default_simulations = 100;
constexpr double reference_ess = 20000;  // sds of draws that are nearly normal are known to 0.5 %

struct TestOptions {
  ModelSource source;
  std::vector<std::string> reference;
  std::size_t simulations = 0;  ///< 0: not given
  std::string json;
  Settings settings;
};

void print_header(std::FILE* to, const TestOptions& options, const Model& model) {
  say(to, "manychain {}: {}, {} unconstrained parameters, {}\n\n", version, model.name(), model.layout().dimension,
      options.source.data_in_words());
  std::fflush(to);
}

int finish(const TestOptions& options, std::FILE* to, const std::string& table, const std::string& json, bool passed) {
  say(to, "{}", with_options(table));
  if (options.json == "-")
    say(stdout, "{}\n", json);
  else if (!options.json.empty())
    write_text(options.json, json);
  return passed ? success : not_passed;
}

int compare(const TestOptions& options, const Model& model, std::FILE* to) {
  Settings settings = options.settings;
  if (!settings.sampling.target_ess && !settings.sampling.draws) settings.sampling.target_ess = reference_ess;
  std::vector<std::string> problems;
  const std::vector<Reference> references = io::read_reference(options.reference, settings.threads, &problems);
  print_header(to, options, model);
  InterruptGuard guard;
  Result result;
  {
    ProgressLine line(InterruptGuard::requested);
    settings.cancel = &InterruptGuard::requested;
    settings.progress = [&](const Progress& progress) { line.show(progress); };
    result = sample(model, settings);
    result.settings.progress = nullptr;  // the line that it writes to ends here
  }
  ReferenceComparison comparison = compare_with(result, references);
  comparison.reference_problems = problems;
  const int status = finish(options, to, comparison.table(), io::to_json(comparison), comparison.passed);
  return result.cancelled ? interrupted : status;
}

int simulate(const TestOptions& options, const Model& model, std::FILE* to) {
  const std::size_t count = options.simulations > 0 ? options.simulations : default_simulations;
  print_header(to, options, model);
  const ModelCheck check = check_model(model, 20, 0);
  if (!ranks_are_enough(check)) return finish(options, to, check.table(), to_json(check), false);
  InterruptGuard guard;
  Settings settings = options.settings;
  settings.cancel = &InterruptGuard::requested;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto progress = [&](std::size_t done) {
    if (terminal) say(stderr, "\r{} of {} posteriors", done, count);
  };
  const auto clear = [&] {
    if (terminal) say(stderr, "\r{:40}\r", "");
  };
  Calibration calibration;
  try {
    calibration = calibrate(model, count, settings, progress);
  } catch (...) {
    clear();
    throw;
  }
  clear();
  say(to, "{} data sets of the model's own ({} replaced), each sampled by {} chains: {:.1f} s\n\n",
      calibration.simulations, fmt::join(calibration.replaced, ", "), calibration.chains, calibration.seconds);
  const int status = finish(options, to, calibration.table(), io::to_json(calibration), calibration.passed);
  return calibration.cancelled ? interrupted : status;
}

int run(const TestOptions& options) {
  if (!options.reference.empty() && options.simulations > 0)
    throw BadInput("--simulations is for a test without --reference: give one of them");
  const Settings& s = options.settings;
  if (options.reference.empty() && s.backend == Backend::cuda)
    throw BadInput("--backend cuda is for --reference: posteriors of simulated data are sampled on the CPU");
  std::vector<std::string> inputs = options.source.files();
  inputs.insert(inputs.end(), options.reference.begin(), options.reference.end());
  require_outputs({{"--json", options.json, &json_file}}, inputs);
  // As `manychain sample` and `check` have it, so that what is compiled serves all.
  const Model model = load_model(options.source, s.seed, {{s.sampler}, s.precision, s.backend, s.device});
  std::FILE* const to = options.json == "-" ? stderr : stdout;
  return options.reference.empty() ? simulate(options, model, to) : compare(options, model, to);
}

}  // namespace

Command test_command(CLI::App& parent) {
  const auto options = std::make_shared<TestOptions>();
  CLI::App* app =
      add_command(parent, "test", "Test a model: against draws of another program, or against data that it predicts");
  add_model_options(*app, options->source);
  add_option(*app, "--reference", options->reference,
             "What another program found: its draws (Stan CSV, one file per chain, or NetCDF), or FILE.json with mean "
             "and sd of each quantity");
  add_option(*app, "--simulations", options->simulations,
             "Without --reference: data sets that are drawn from the model and sampled; default: 100");
  hide_default(*app, "--simulations");
  for (const char* name :
       {"sampler", "chains", "warmup", "draws", "target_ess", "seed", "backend", "device", "precision", "threads"})
    add_setting(*app, options->settings, name);
  add_option(*app, "--json", options->json,
             "Write what was found as one JSON object; -: to stdout, and the rest to stderr", "FILE");
  add_footer(*app,
             "Without --reference parameters are drawn from the prior (the terms that are not observe()), data by "
             "target.predict(), and the posterior of each of these data is sampled: the ranks of the parameters among "
             "its draws must be uniform.\nExit status: 0 if the model passes, 1 if not, 2 for a bad command line or a "
             "model that cannot be tested, 130 when interrupted.");
  return {app, [options] { return run(*options); }};
}

}  // namespace manychain::cli
