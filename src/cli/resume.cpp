// manychain resume: goes on with a run that is stored, or with a part of its chains.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

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
#include "io/open_parts.hpp"
#include "io/sets_journal.hpp"
#include "manychain/core/error.hpp"
#include "run/setting_names.hpp"
#include "run/setting_text.hpp"
#include "sampling/ranked.hpp"
#include "sampling/stored.hpp"

namespace manychain::cli {
namespace {

struct ResumeOptions {
  std::string store, draws, target_ess, log_likelihood, part, output, show;
  std::size_t more = 0;
  StoringOptions storing;
  bool warmup_only = false;
  Settings settings;  ///< its threads and its limit of time
  RunShownAs shown;
};

Resumed changes(const ResumeOptions& options) {
  Settings settings;
  if (!options.draws.empty()) set_from_text(settings, "draws", options.draws);
  if (!options.target_ess.empty()) set_from_text(settings, "target_ess", options.target_ess);
  Resumed resumed;
  if (!options.log_likelihood.empty()) {
    set_from_text(settings, "log_likelihood", options.log_likelihood);
    resumed.log_likelihood = settings.output.log_likelihood;
  }
  resumed.draws = settings.sampling.draws;
  resumed.target_ess = settings.sampling.target_ess;
  if (options.more > 0) resumed.more = options.more;
  if (!options.part.empty()) resumed.part = part_from(options.part);
  resumed.time_limit = options.settings.time_limit;
  resumed.threads = options.settings.threads;
  return resumed;
}

/// The file for the draws of a run with a checkpoint; empty: there is none.
constexpr const char* output_fact = "output";

io::StoreFacts read_facts(const std::string& kept) {
  io::StoreFacts facts = io::read_facts(kept);
  if (io::is_checkpoint(kept))
    facts.emplace(output_fact, "");
  else
    facts.erase(output_fact);
  return facts;
}

/// The facts of a run that the first rank reads.
io::StoreFacts of_first_rank(const std::string& kept) {
  Ranks* const ranks = program_ranks.ranks;
  if (!ranks) return read_facts(kept);
  const nlohmann::json mine = program_ranks.speaks() ? nlohmann::json(read_facts(kept)) : nlohmann::json();
  return nlohmann::json::parse(ranks->texts(mine.dump())[0]).get<io::StoreFacts>();
}

/// Data sets: those that have no answer yet.
int resume_sets(ResumeOptions& options) {
  for (const auto& [name, given] :
       {std::pair("--draws", !options.draws.empty()), std::pair("--more", options.more > 0),
        std::pair("--target-ess", !options.target_ess.empty()),
        std::pair("--log-likelihood", !options.log_likelihood.empty()), std::pair("--part", !options.part.empty()),
        std::pair("--warmup-only", options.warmup_only)})
    if (given)
      throw BadInput(fmt::format("{}: {} has data sets, whose runs end as they were begun", name, options.store));
  options.shown.table.show = listed(options.show);
  return resume_data_sets({options.store}, SetsKept::goes_on, options.output, options.shown, options.settings,
                          options.storing.every);
}

int run(ResumeOptions& options) {
  if (io::is_sets_journal(options.store)) return resume_sets(options);
  Resumed resumed = changes(options);
  if (resumed.part && program_ranks.ranks)
    throw BadInput("--part: a part of the chains is for one process; without it the ranks share all chains");
  if (resumed.part && options.output.empty()) options.output = io::part_name(options.store, *resumed.part);
  const io::StoreFacts facts = of_first_rank(options.store);
  const auto of_checkpoint = facts.find(output_fact);
  if (!resumed.part && of_checkpoint == facts.end() && !options.output.empty())
    throw BadInput("--output: a run goes on in its own store; only a --part has another one");
  if (!resumed.part && of_checkpoint != facts.end() && options.output.empty()) options.output = of_checkpoint->second;
  const BegunBy begun = begun_by(options.store, facts);
  const ModelSource& source = begun.source;
  std::vector<std::string> inputs = source.files();
  inputs.push_back(options.store);
  const DrawsAt draws = draws_for(options.output);
  if (!program_ranks.speaks()) options.shown.json.clear(), options.output.clear();
  require_outputs({{"--output", options.output, &draws_file}, {"--json", options.shown.json, &json_file}}, inputs);
  const Model model = model_of(options.store, begun);
  options.shown.table.show = listed(options.show);
  require_rows("--show", options.shown.table.show, model.layout().output_names());

  std::optional<OutputFile> output;
  std::optional<io::JoinedStore> joined;
  Storing storing = options.storing.storing();
  StoredRun stored;
  if (!program_ranks.speaks()) {
    output.emplace("", storing);
    joined.emplace(options.store);
  } else {
    if (!resumed.part)
      output.emplace(of_checkpoint == facts.end() ? options.store : options.output, storing,
                     OutputFile::Reopened{options.store});
    stored = io::open_run(options.store);
  }
  if (resumed.part) {
    if (!io::names_store(options.output))
      throw BadInput("--output: " + options.output + ": a part is stored as NAME.zarr, to be merged");
    if (io::is_begun(options.output, *resumed.part, stored.state)) {
      output.emplace(options.output, storing, OutputFile::Reopened{options.output});
      stored = io::open_stored_run(options.output);
      resumed.part.reset();
    } else {
      storing.compression = io::compression_of(options.store);
      output.emplace(options.output, storing);
      output->set_facts(facts);
    }
  }
  if (options.warmup_only) output->end_with_warmup();
  Ranks* const ranks = program_ranks.ranks;
  const StoredFacts before = stored_facts(
      ranks ? ranks->texts(program_ranks.speaks() ? without_chains(stored.state) : RunState())[0] : stored.state);
  if (options.warmup_only && before.sampling) throw BadInput("--warmup-only: the warm-up of this run has ended");
  std::FILE* const to = options.shown.json == "-" ? stderr : stdout;
  say(to, "manychain {}: {}, {} unconstrained parameters, {}, --seed {}\n", version, model.name(),
      model.layout().dimension, source.data_in_words(), before.settings.seed);
  if (options.shown.verbose) say(to, " {}\n", options_of(before.settings));
  say(to, "  goes on {}\n",
      before.sampling    ? fmt::format("behind {} draws of each chain", before.draws)
      : before.in_warmup ? "in warm-up"
                         : "before warm-up, which begins anew");
  std::fflush(to);
  return run_and_write(to, options.shown, *output, [&](RunShown& shown) {
    if (program_ranks.speaks()) resumed.progress = shown.progress();
    resumed.cancel = &InterruptGuard::requested;
    const auto in_ranks = [&](Ranks& of) {
      return resume_in_ranks(model, std::move(stored), resumed, of, program_ranks.share_machine,
                             joined ? joined->get() : output->store(), output->storing(), draws);
    };
    Result result = ranks ? program_ranks.together(in_ranks)
                          : resume(model, std::move(stored), resumed, *output->store(), output->storing());
    if (before.sampling && result.kept == before.draws && !result.cancelled) {
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
  add_option(*app, "STORE", options->store, "What --output of manychain sample named, a Zarr store, or --checkpoint",
             "FILE.zarr|FILE");
  require_option(*app, "STORE");
  add_option(*app, "--draws", options->draws, "So many draws of each chain, with those that there are", "N");
  add_option(*app, "--more", options->more, "So many draws of each chain, beside those that there are");
  hide_default(*app, "--more");
  add_option(*app, "--target-ess", options->target_ess,
             "End as soon as all bulk and tail ESS are that large and R-hat is small", "X");
  add_option(
      *app, "--part", options->part,
      "The K-th of N parts of the chains alone, of a run that ended at its warm-up; several processes or machines "
      "take one each",
      "K/N");
  add_option(*app, "--output", options->output,
             "The store of a part, default: STORE.part-K-of-N.zarr; or the draws of a run with a checkpoint", "FILE");
  add_flag(*app, "--warmup-only", options->warmup_only, "End behind warm-up, of a run that was ended before or in it");
  add_setting(*app, options->settings, "threads");
  add_setting(*app, options->settings, "time_limit");
  add_option(
      *app, "--log-likelihood", options->log_likelihood,
      "Store the log likelihood of each observation in so many draws of each chain, of a run that has ended, too; "
      "default: as the run was begun",
      "N");
  add_every(*app, options->storing);
  add_memory(*app, options->storing);
  add_shown(*app, options->shown, options->show);
  add_footer(*app,
             "The draws are those of a run that was not interrupted, bit by bit. A run that ended in warm-up goes\n"
             "on there; it searches for its starting points again.");
  return {app, [options] {
            Ranks* const ranks = program_ranks.ranks;
            if (!ranks) return run(*options);
            int status = success;
            ranks->together([&] { status = run(*options); });
            return status;
          }};
}

}  // namespace manychain::cli
