// manychain sample: settings, progress, table, files.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <random>
#include <string_view>
#include <system_error>

#include "check/posterior_precision.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_source.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/run_files.hpp"
#include "cli/setting_options.hpp"
#include "io/version.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/engine.hpp"
#include "manychain/samplers/info.hpp"
#include "run/defaults.hpp"
#include "run/named_dimensions.hpp"
#include "run/setting_names.hpp"
#include "sampling/drawn.hpp"

namespace manychain::cli {
namespace {

struct SampleOptions {
  ModelSource source;
  std::string init, json, output, show;
  bool until_converged = false;
  bool require_converged = false;
  bool verbose = false;
  TableOptions table;
  Settings settings;   ///< as they were given
  Settings filled_in;  ///< what the run makes of them
};

constexpr const char* no_output = "none";

/// Asked of the files that the line names, before a model is compiled, and of the one called after the model.
void require_nothing_destroyed(const SampleOptions& options) {
  std::vector<std::string> inputs = options.source.files();
  inputs.push_back(options.init);  // a radius is no file
  require_outputs({{"--output", options.output == no_output ? "" : options.output, &draws_file},
                   {"--json", options.json, &json_file}},
                  inputs);
}

/// --init: a radius, or a file of initial values.
void set_starts(SampleOptions& options, const Model& model) {
  if (options.init.empty()) return;
  Settings& settings = options.settings;
  const char* const end = options.init.data() + options.init.size();
  const auto [rest, error] = std::from_chars(options.init.data(), end, settings.initial_radius);
  if (error == std::errc() && rest == end) {
    options.init.clear();  // it is one of the settings
    return;
  }
  settings.initial_radius = Settings().initial_radius;
  set_initial_points(model, Data::all_from_file(options.init), settings);
}

/// The settings of the run, complete and checked, the files it will write and the rows it will show included.
void complete_options(SampleOptions& options, const Model& model) {
  Settings& settings = options.settings;
  options.table.show = listed(options.show);
  require_rows("--show", options.table.show, model.layout().output_names());
  set_starts(options, model);
  settings.validate();
  if (settings.step_size && settings.target_acceptance)
    throw BadInput("--target-acceptance: nothing is adapted to a --step-size that is given; leave one of them out");
  if (!settings.keep_draws && !options.output.empty() && options.output != no_output)
    throw BadInput("--keep none leaves no draws for --output " + options.output);
  if (options.output.empty()) {
    options.output = settings.keep_draws ? options.source.stem(model.name()) + ".nc" : no_output;
    require_nothing_destroyed(options);
  }
  if (options.output != no_output) require_storable(model.layout());
  if (options.output == no_output) {
    if (settings.log_likelihood > 0) throw BadInput("--output none leaves no file for --log-likelihood");
    options.output.clear();
    settings.keep_sample_stats = false;
  }
  options.filled_in = settings;
  fill_in_defaults(model, options.filled_in);
  if (settings.device) cuda_state(settings.device);  // throws if there is no such device
}

/// Describes the run: its first line, and with --verbose the rest, in words that are also options of a command line.
void print_header(std::FILE* to, const SampleOptions& options, const Model& model) {
  const Settings& s = options.filled_in;
  say(to, "manychain {}: {}, {} unconstrained parameters, {}, --seed {}\n", version, model.name(),
      model.layout().dimension, options.source.data_in_words(), s.seed);
  if (options.verbose) {
    say(to, " {}{}\n", options_of(s), options.init.empty() ? "" : " --init " + options.init);
    if (s.backend == Backend::automatic) {
      const CudaState cuda = cuda_state(s.device);
      if (!cuda.usable) say(to, "  no GPU is used: {}\n", with_options(cuda.why));
    }
  }
  std::fflush(to);
}

/// "0.28", or of several groups "0.28 to 0.31".
std::string step_sizes(const Result& result) {
  const auto [smallest, largest] =
      std::minmax_element(result.tuning.begin(), result.tuning.end(),
                          [](const TunedGroup& a, const TunedGroup& b) { return a.step_size < b.step_size; });
  if (result.tuning.size() < 2) return fmt::format("{:.4g}", result.step_size);
  return fmt::format("{:.4g} to {:.4g}", smallest->step_size, largest->step_size);
}

std::string seconds_described(const Seconds& s) {
  return fmt::format("{:.3g} s: warm-up {:.3g}, sampling {:.3g}, diagnostics {:.3g}", s.total, s.warmup, s.sampling,
                     s.diagnostics);
}

/// Starting points of chains, if known.
std::string starts_described(const StartsFound& starts) {
  if (!starts.taken) return "";
  std::string text = fmt::format("  started where {} of {} paths ended ({} gradients)\n", starts.found, starts.paths,
                                 starts.evaluations);
  if (starts.left > 0)
    text += fmt::format(
        "  but for {} that hold next to nothing of the posterior: the logarithm of their share is {:.3g} or less\n",
        starts.left, -starts.largest_gap);
  return text;
}

/// Steps, acceptance, gradients: how it went, for those who want to know.
std::string tuning_described(const Result& result) {
  std::string text = "  ";
  if (result.sampler.tuned || result.settings.step_size) text += fmt::format("step size {}, ", step_sizes(result));
  if (result.sampler.trajectory) text += fmt::format("trajectory {:.4g}, ", result.trajectory);
  if (!result.tuning.empty() && result.tuning[0].integrator == Integrator::two_stage) text += "two stages a step, ";
  if (!result.tuning.empty() && result.tuning[0].metric_rank > 0)
    text += fmt::format("metric of {} directions, ", result.tuning[0].metric_rank);
  if (!result.tuning.empty() && result.tuning[0].leaves > 0)
    text += fmt::format("hierarchical metric of {} leaves, ", result.tuning[0].leaves);
  text += fmt::format("acceptance rate {:.3f}", result.acceptance_rate);
  if (result.gradients > 0) text += fmt::format(", {:.4g} gradients", double(result.gradients));
  if (result.settings.target_ess)
    text += fmt::format(", {} + {} transitions of each chain", result.warmup, result.kept * result.settings.thin);
  return text + "\n";
}

/// Anything out of the ordinary has a line without --verbose, too.
void print_run(std::FILE* to, const SampleOptions& options, const Result& result) {
  const Seconds& s = result.seconds;
  const bool verbose = options.verbose;
  say(to, "  ran on {}: {}{}", result.backend, result.device, verbose ? "\n" : "; ");
  if (!verbose) say(to, "{}\n", seconds_described(s));
  const std::string precision = precision_described(result);
  if (!precision.empty() && (verbose || result.settings.precision == Precision::double_precision))
    say(to, "  {}\n", precision);
  if (verbose || result.starts.left > 0) say(to, "{}", starts_described(result.starts));
  if (result.restarted.chains > 0)
    say(to,
        "  {} chains were restarted among the others in warm-up: their log densities stayed up to {:.3g} below; if "
        "they "
        "had found another mode, it is not in the draws\n",
        result.restarted.chains, result.restarted.largest_gap);
  if (verbose) say(to, "{}", tuning_described(result));
  if (result.settings.target_ess && !result.reached_target)
    // More draws mend neither chains that disagree nor a NaN: see the verdict.
    say(to, "  --target-ess {} was not reached{}\n", *result.settings.target_ess,
        result.converged ? ": take more --draws" : "");
  if (verbose) say(to, "  {}\n", seconds_described(s));
  say(to, "\n{}", with_options(result.table(options.table)));
  std::fflush(to);
}

/// `heard`: that a Ctrl-C came before the diagnostics, if only after the last draw.
Result run_sampler(const Model& model, Settings settings, OutputFile& output, InterruptGuard& guard, bool& heard) {
  ProgressLine line(InterruptGuard::requested);
  settings.cancel = &InterruptGuard::requested;
  settings.progress = [&](const Progress& progress) {
    // The interrupt that ended the sampling has been heard; the next one ends the diagnostics.
    if (progress.phase == std::string_view("diagnostics") && InterruptGuard::requested) {
      heard = true;
      guard.rearm();
    }
    line.show(progress);
  };
  // Nobody asks for the draws before the diagnostics unless there is a file to begin.
  const Drawn begin = [&](const Result& drawn) { output.begin(drawn); };
  Result result = sample(model, settings, output.path().empty() ? Drawn() : begin);
  result.settings.progress = nullptr;  // the line that it writes to ends here
  return result;
}

int run(SampleOptions& options) {
  if (options.until_converged) {
    if (!options.settings.target_ess) options.settings.target_ess = default_target_ess;
    if (!options.settings.warmup_end) options.settings.warmup_end = WarmupEnd::settled;
  }
  const Settings& s = options.settings;
  require_nothing_destroyed(options);
  const Model model = load_model(options.source, s.seed, {{s.sampler}, s.precision, s.backend, s.device});
  complete_options(options, model);
  // With the JSON on stdout, everything that is for people goes to stderr.
  std::FILE* const to = options.json == "-" ? stderr : stdout;
  print_header(to, options, model);
  look_for_room(options.output, model, options.filled_in);
  OutputFile output(options.output);
  InterruptGuard guard;  // until all is written
  bool heard = false;
  const Result result = run_sampler(model, options.settings, output, guard, heard);
  print_run(to, options, result);
  if (const std::string faults = write_files(to, output, options.json, result); !faults.empty()) {
    say(stderr, "manychain: {}\n", sentence(faults));
    return failed;
  }
  if (result.cancelled || heard || InterruptGuard::requested) return interrupted;
  return options.require_converged && !result.converged ? not_converged : success;
}

/// A line for each sampler.
std::string samplers_described() {
  std::string text = "Samplers:\n";
  for (const SamplerInfo& sampler : all_samplers())
    text += fmt::format("  {:<20}  {}\n", sampler.name, sampler.description);
  return text;
}

}  // namespace

Command sample_command(CLI::App& parent) {
  const auto options = std::make_shared<SampleOptions>();
  Settings& settings = options->settings;
  CLI::App* app = add_command(parent, "sample", "Sample a model and summarise its draws");
  add_model_options(*app, options->source);
  add_settings(*app, settings);
  replace_option(*app, "--init", options->init,
                 "Uniform starting points lie between minus that and that, unconstrained; or a file with the values of "
                 "parameters by name, an object or an array of them; default: 2",
                 "RADIUS|FILE.json");
  add_flag(*app, "--until-converged", options->until_converged, "The same as --warmup-end settled --target-ess 400");
  // 32 random bits: enough to make runs differ, and a number that can be typed again.
  settings.seed = std::random_device{}();
  hide_default(*app, "--seed");
  add_option(*app, "--json", options->json,
             "Write the summary as one JSON object; -: to stdout, and the rest to stderr", "FILE");
  add_option(*app, "--show", options->show,
             "Rows of the table: mu, theta[3], theta for all of them, or th* for all names so; default: 40",
             "NAME,...");
  add_option(*app, "--output", options->output,
             "Draws for ArviZ, NetCDF or a Zarr store; default: MODEL.nc; none: no file", "FILE.nc|FILE.zarr");
  add_flag(*app, "--require-converged", options->require_converged, "Exit with status 4 unless the run has converged");
  add_flag(*app, "--verbose", options->verbose,
           "Say before the table all settings, where chains started, and how they were tuned");
  add_footer(
      *app,
      samplers_described() +
          "\nCtrl-C ends the run and keeps the draws until then; one in the diagnostics leaves the rest of these out;\n"
          "a second one ends the program. SIGTERM and SIGHUP keep the draws, too.");
  return {app, [options] { return run(*options); }};
}

}  // namespace manychain::cli
