// manychain merge: puts the parts of a run together.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/run_files.hpp"
#include "cli/run_printed.hpp"
#include "cli/sample_sets.hpp"
#include "cli/setting_options.hpp"
#include "cli/stored_run.hpp"
#include "core/version.hpp"
#include "io/open_parts.hpp"
#include "io/sets_journal.hpp"
#include "manychain/core/error.hpp"
#include "sampling/stored.hpp"

namespace manychain::cli {
namespace {

struct MergeOptions {
  std::string store, show;
  std::vector<std::string> parts;
  StoringOptions storing;
  Settings settings;  ///< its threads
  RunShownAs shown;
};

int run(MergeOptions& options) {
  options.shown.table.show = listed(options.show);
  if (io::is_sets_journal(options.parts.front()))
    return resume_data_sets(options.parts, SetsKept::merges, options.store, options.shown, options.settings, 0);
  if (!io::names_store(options.store))
    throw BadInput(options.store + ": the merged run is a store, as its parts are: name it NAME.zarr");
  const std::string& first = options.parts.front();
  const io::StoreFacts facts = io::read_store_facts(first);
  const BegunBy begun = begun_by(first, facts);
  std::vector<std::string> inputs = begun.source.files();
  inputs.insert(inputs.end(), options.parts.begin(), options.parts.end());
  require_outputs({{"STORE", options.store, &draws_file}, {"--json", options.shown.json, &json_file}}, inputs);
  const Model model = model_of(first, begun);
  require_rows("--show", options.shown.table.show, model.layout().output_names());

  io::OpenParts opened = io::open_parts(options.parts, options.store);
  std::vector<StoredRun>& parts = opened.parts;
  const StoredFacts& about = opened.about;
  Storing storing = options.storing.storing();
  storing.compression = io::compression_of(first);
  OutputFile output(options.store, storing, OutputFile::WhenWhole{});
  output.set_facts(facts);
  std::FILE* const to = options.shown.json == "-" ? stderr : stdout;
  say(to, "manychain {}: {}, {} unconstrained parameters, {}, --seed {}\n", version, model.name(),
      model.layout().dimension, begun.source.data_in_words(), about.settings.seed);
  say(to, "  {} {} of {} chains, {} draws of each chain\n", parts.size(), parts.size() == 1 ? "part" : "parts",
      about.settings.chains, about.draws);
  std::fflush(to);
  return run_and_write(to, options.shown, output, [&](RunShown& shown) {
    Resumed how;
    how.threads = options.settings.threads;
    how.progress = shown.progress();
    how.cancel = &InterruptGuard::requested;
    return merge(model, std::move(parts), how, *output.store(), output.storing());
  });
}

}  // namespace

Command merge_command(CLI::App& parent) {
  const auto options = std::make_shared<MergeOptions>();
  CLI::App* app = add_command(parent, "merge", "Put the parts of a run together, and summarise all of their draws");
  add_option(*app, "STORE", options->store, "The run of all chains, a new Zarr store; of data sets FILE.nc, or none",
             "FILE.zarr");
  require_option(*app, "STORE");
  add_option(*app, "PARTS", options->parts,
             "What manychain resume --part has made, or sample --data-sets --part, each part once, in any order");
  require_option(*app, "PARTS");
  add_setting(*app, options->settings, "threads");
  add_memory(*app, options->storing);
  add_shown(*app, options->shown, options->show);
  add_footer(*app, "The merged run has the bytes of one that was never in parts, and can be resumed.");
  return {app, [options] { return run(*options); }};
}

}  // namespace manychain::cli
