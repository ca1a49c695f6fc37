// manychain resume: goes on with a run that is stored.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/model_source.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/run_files.hpp"
#include "cli/run_printed.hpp"
#include "cli/setting_options.hpp"
#include "cli/stored_run.hpp"
#include "core/version.hpp"
#include "manychain/core/error.hpp"
#include "run/setting_names.hpp"
#include "run/setting_text.hpp"
#include "sampling/stored.hpp"

namespace manychain::cli {
namespace {

struct ResumeOptions {
  std::string store, draws, target_ess, show;
  std::size_t more = 0, every = default_every;
  Settings settings;  ///< its threads
  RunShownAs shown;
};

Resumed changes(const ResumeOptions& options) {
  Settings settings;
  if (!options.draws.empty()) set_from_text(settings, "draws", options.draws);
  if (!options.target_ess.empty()) set_from_text(settings, "target_ess", options.target_ess);
  Resumed resumed;
  resumed.draws = settings.draws;
  resumed.target_ess = settings.target_ess;
  if (options.more > 0) resumed.more = options.more;
  resumed.threads = options.settings.threads;
  return resumed;
}

int run(ResumeOptions& options) {
  Resumed resumed = changes(options);
  const BegunBy begun = begun_by(options.store, io::read_store_facts(options.store));
  const ModelSource& source = begun.source;
  require_outputs({{"--json", options.shown.json, &json_file}}, source.files());
  const Settings& given = begun.settings;
  const Model model = load_model(source, given.seed, {{given.sampler}, given.precision, given.backend, given.device});
  options.shown.table.show = listed(options.show);
  require_rows("--show", options.shown.table.show, model.layout().output_names());

  OutputFile output(options.store, static_cast<double>(options.every), OutputFile::Reopened{});
  StoredRun stored = io::read_stored_run(options.store);
  const StoredFacts before = stored_facts(stored.state);
  std::FILE* const to = options.shown.json == "-" ? stderr : stdout;
  say(to, "manychain {}: {}, {} unconstrained parameters, {}, --seed {}\n", version, model.name(),
      model.layout().dimension, source.data_in_words(), before.settings.seed);
  if (options.shown.verbose) say(to, " {}\n", options_of(before.settings));
  say(to, "  goes on {}\n",
      before.sampling ? fmt::format("behind {} draws of each chain", before.draws)
                      : "before warm-up, which begins anew");
  std::fflush(to);
  return run_and_write(to, options.shown, output, [&](RunShown& shown) {
    resumed.progress = shown.progress();
    resumed.cancel = &InterruptGuard::requested;
    Result result = resume(model, std::move(stored), resumed, *output.store(), output.storing());
    if (before.sampling && result.kept == before.draws) {
      shown.end();
      say(to, "  the run had ended: there was nothing left to sample (--more takes more draws)\n");
    }
    return result;
  });
}

}  // namespace

Command resume_command(CLI::App& parent) {
  const auto options = std::make_shared<ResumeOptions>();
  CLI::App* app = add_command(parent, "resume", "Go on with a run that was stored, and summarise its draws");
  add_option(*app, "STORE", options->store, "What --output of manychain sample named: a Zarr store", "FILE.zarr");
  require_option(*app, "STORE");
  add_option(*app, "--draws", options->draws, "So many draws of each chain, with those that there are", "N");
  add_option(*app, "--more", options->more, "So many draws of each chain, beside those that there are");
  hide_default(*app, "--more");
  add_option(*app, "--target-ess", options->target_ess,
             "End as soon as all bulk and tail ESS are that large and R-hat is small", "X");
  add_setting(*app, options->settings, "threads");
  add_option(*app, "--every", options->every, every_help);
  add_shown(*app, options->shown, options->show);
  add_footer(*app,
             "The draws are those of a run that was not interrupted, bit by bit. A run that ended in warm-up begins\n"
             "anew, with the same settings and the same draws.");
  return {app, [options] { return run(*options); }};
}

}  // namespace manychain::cli
