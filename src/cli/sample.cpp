// manychain sample: settings, progress, table, files.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

#include "check/posterior_precision.hpp"
#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/model_source.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/ranks.hpp"
#include "cli/run_files.hpp"
#include "cli/run_printed.hpp"
#include "cli/sample_sets.hpp"
#include "cli/setting_options.hpp"
#include "cli/stored_run.hpp"
#include "core/version.hpp"
#include "io/joined_store.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/engine.hpp"
#include "manychain/samplers/info.hpp"
#include "run/defaults.hpp"
#include "run/devices.hpp"
#include "run/named_dimensions.hpp"
#include "run/setting_names.hpp"
#include "sampling/drawn.hpp"
#include "sampling/ranked.hpp"
#include "sampling/stored.hpp"

namespace manychain::cli {
namespace {

struct SampleOptions {
  ModelSource source;
  std::string init, output, show, compression = "none";
  bool until_converged = false, warmup_only = false;
  SetsOptions sets;
  StoringOptions storing;
  RunShownAs shown;
  Settings settings;   ///< as they were given
  Settings filled_in;  ///< what the run makes of them
};

constexpr const char* no_output = "none";

/// Asked of the files that the line names, before a model is compiled, and of the one called after the model.
void require_nothing_destroyed(const SampleOptions& options) {
  if (!program_ranks.speaks()) return;
  std::vector<std::string> inputs = options.source.files();
  inputs.push_back(options.init);  // a radius is no file
  require_outputs({{"--output", options.output == no_output ? "" : options.output, &draws_file},
                   {"--checkpoint", options.storing.checkpoint, &checkpoint_file},
                   {"--json", options.shown.json, &json_file}},
                  inputs);
}

/// --init: a radius, which is one of the settings; or else a file, which stays.
void set_radius(SampleOptions& options) {
  if (options.init.empty()) return;
  Settings& settings = options.settings;
  const char* const end = options.init.data() + options.init.size();
  const auto [rest, error] = std::from_chars(options.init.data(), end, settings.warmup.initial_radius);
  if (error == std::errc() && rest == end) {
    options.init.clear();
    return;
  }
  settings.warmup.initial_radius = WarmupSettings().initial_radius;
}

/// --init: a radius, or a file of initial values.
void set_starts(SampleOptions& options, const Model& model) {
  set_radius(options);
  if (!options.init.empty()) set_initial_points(model, Data::all_from_file(options.init), options.settings);
}

/// The settings of the run, complete and checked, the files it will write and the rows it will show included.
void complete_options(SampleOptions& options, const Model& model) {
  Settings& settings = options.settings;
  options.shown.table.show = listed(options.show);
  require_rows("--show", options.shown.table.show, model.layout().output_names());
  set_starts(options, model);
  settings.validate();
  if (settings.sampling.step_size && settings.warmup.target_acceptance)
    throw BadInput("--target-acceptance: nothing is adapted to a --step-size that is given; leave one of them out");
  if (!settings.output.keep_draws && !options.output.empty() && options.output != no_output)
    throw BadInput("--keep none leaves no draws for --output " + options.output);
  if (options.output.empty()) {
    options.output = settings.output.keep_draws ? options.source.stem(model.name()) + ".nc" : no_output;
    require_nothing_destroyed(options);
  }
  if (options.output != no_output) require_storable(model.layout());
  if (options.output == no_output) {
    if (settings.output.log_likelihood > 0) throw BadInput("--output none leaves no file for --log-likelihood");
    options.output.clear();
    settings.output.keep_sample_stats = false;
  }
  options.filled_in = settings;
  fill_in_defaults(model, options.filled_in);
  for (const int device : devices_of(settings)) cuda_state(device);  // throws if there is no such device
  if (settings.device) cuda_state(settings.device);
}

/// Describes the run: its first line, and with --verbose the rest, in words that are also options of a command line.
void print_header(std::FILE* to, const SampleOptions& options, const Model& model) {
  const Settings& s = options.filled_in;
  say(to, "manychain {}: {}, {} unconstrained parameters, {}, --seed {}\n", version, model.name(),
      model.layout().dimension, options.source.data_in_words(), s.seed);
  if (options.shown.verbose) {
    say(to, " {}{}\n", options_of(s), options.init.empty() ? "" : " --init " + options.init);
    if (s.backend == Backend::automatic) {
      const CudaState cuda = cuda_state(first_device(s));
      if (!cuda.usable) say(to, "  no GPU is used: {}\n", with_options(cuda.why));
    }
  }
  std::fflush(to);
}

/// `store`: null, the run is not stored.
Result run_sampler(const Model& model, Settings settings, RunStore* store, DrawsAt draws, OutputFile& output,
                   RunShown& shown) {
  settings.cancel = &InterruptGuard::requested;
  if (program_ranks.speaks()) settings.progress = shown.progress();
  if (program_ranks.ranks) program_ranks.share_machine(model, settings);
  if (store && program_ranks.ranks)
    return program_ranks.together(
        [&](Ranks& ranks) { return sample_in_ranks(model, settings, ranks, store, output.storing(), draws); });
  if (store) return sample(model, settings, *store, output.storing());
  // Nobody asks for the draws before the diagnostics unless there is a file to begin.
  const Drawn begin = [&](const Result& drawn) { output.begin(drawn); };
  const Drawn drawn = output.path().empty() ? Drawn() : begin;
  if (!program_ranks.ranks) return sample(model, settings, drawn);
  return program_ranks.together([&](Ranks& ranks) { return sample_in_ranks(model, settings, ranks, draws, drawn); });
}

/// Many data sets in place of one.
int run_sets(SampleOptions& options) {
  const bool folds = options.sets.folds > 0;
  if (folds && !options.sets.file.empty()) throw BadInput("--folds is for one data set; leave --data-sets out");
  if (options.warmup_only) throw BadInput("--warmup-only is for one run");
  if (folds && !options.storing.checkpoint.empty()) throw BadInput("--checkpoint: --folds keeps no run; leave it out");
  if (options.compression != "none") throw BadInput("--compression is for one run");
  set_radius(options);
  if (folds && !options.init.empty())
    throw BadInput("--init FILE: --folds finds starting points; take a radius, or leave it out");
  options.shown.table.show = listed(options.show);
  SetsCall call{options.source,         options.sets,     options.shown, options.output,
                options.storing.memory, options.settings, options.init};
  call.every = options.storing.every;
  if (!options.storing.checkpoint.empty()) call.kept = {options.storing.checkpoint};
  return folds ? cross_validate_model(call) : sample_data_sets(call);
}

int run(SampleOptions& options) {
  if (options.until_converged) {
    if (!options.settings.sampling.target_ess) options.settings.sampling.target_ess = default_target_ess;
    if (!options.settings.warmup.end) options.settings.warmup.end = WarmupEnd::settled;
  }
  const Settings& s = options.settings;
  if (!options.sets.file.empty() || options.sets.folds > 0) return run_sets(options);
  if (!options.sets.part.empty())
    throw BadInput("--part is for --data-sets; parts of the chains: manychain resume --part");
  if (!options.sets.column.empty()) throw BadInput("--set-column is for --data-sets FILE.csv, which is missing");
  require_nothing_destroyed(options);
  const Model model = load_model(options.source, s.seed, {{s.sampler}, s.precision, s.backend, first_device(s)});
  complete_options(options, model);
  // With the JSON on stdout, everything that is for people goes to stderr.
  std::FILE* const to = options.shown.json == "-" ? stderr : stdout;
  std::string& checkpoint = options.storing.checkpoint;
  const bool in_store = io::names_store(options.output), stored = in_store || !checkpoint.empty();
  if (in_store && !checkpoint.empty())
    throw BadInput("--checkpoint: the store " + options.output + " keeps the run already; leave it out");
  Storing storing = options.storing.storing();
  storing.compression = io::compression_from(options.compression);
  if (!in_store && storing.compression != Compression::none)
    throw BadInput("--compression is for a Zarr store: --output NAME.zarr");
  io::StoreFacts facts;
  if (stored) facts = facts_of(options.source, options.settings);
  if (!checkpoint.empty()) facts["output"] = absolute_or_empty(options.output);
  const DrawsAt draws = draws_for(options.output);
  std::optional<io::JoinedStore> joined;
  if (!program_ranks.speaks()) {
    if (stored) joined.emplace(options.output);
    options.output.clear(), options.shown.json.clear(), checkpoint.clear();
  }
  print_header(to, options, model);
  if (!in_store) check_free_space(options.output, model, options.filled_in);
  OutputFile output(options.output, storing, checkpoint);
  if (options.warmup_only) {
    if (!stored) throw BadInput("--warmup-only needs a store or a checkpoint: --output NAME.zarr, --checkpoint FILE");
    output.end_with_warmup();
  }
  if (output.store()) output.set_facts(std::move(facts));
  return run_and_write(to, options.shown, output, [&](RunShown& shown) {
    return run_sampler(model, options.settings, joined ? joined->get() : output.store(), draws, output, shown);
  });
}

/// With the seed of the first rank, where there are several. What ends one ends all.
int run_of_program(SampleOptions& options) {
  Ranks* const ranks = program_ranks.ranks;
  if (!ranks) return run(options);
  int status = success;
  ranks->together([&] {
    options.settings.seed = ranks->each(options.settings.seed)[0];
    status = run(options);
  });
  return status;
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
  add_sets_options(*app, options->sets);
  add_settings(*app, settings);
  replace_option(*app, "--init", options->init,
                 "Uniform starting points lie between minus that and that, unconstrained; or a file with the values of "
                 "parameters by name, an object or an array of them; default: 2",
                 "RADIUS|FILE.json");
  add_flag(*app, "--until-converged", options->until_converged, "The same as --warmup-end settled --target-ess 400");
  // 32 random bits: enough to make runs differ, and a number that can be typed again.
  settings.seed = std::random_device{}();
  hide_default(*app, "--seed");
  add_option(*app, "--output", options->output,
             "Draws for ArviZ, NetCDF or a Zarr store; default: MODEL.nc; none: no file", "FILE.nc|FILE.zarr");
  add_option(*app, "--compression", options->compression, "Of the draws of a Zarr store", "none|gzip");
  add_checkpoint(*app, options->storing);
  add_every(*app, options->storing);
  add_memory(*app, options->storing);
  add_flag(*app, "--warmup-only", options->warmup_only,
           "End behind warm-up; manychain resume, or several with --part, sample from there");
  add_shown(*app, options->shown, options->show);
  add_footer(
      *app,
      samplers_described() +
          "\nCtrl-C ends the run and keeps the draws until then; one in the diagnostics leaves the rest of these out;\n"
          "a second one ends the program. SIGTERM, SIGHUP and SIGUSR1 keep the draws, too.");
  return {app, [options, app] {
            options->sets.seed_given = is_given(*app, "--seed");
            return run_of_program(*options);
          }};
}

}  // namespace manychain::cli
