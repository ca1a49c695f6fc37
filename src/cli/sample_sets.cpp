#include "cli/sample_sets.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/kept_sets.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/ranks.hpp"
#include "cli/run_files.hpp"
#include "cli/stored_run.hpp"
#include "core/version.hpp"
#include "io/read_formats.hpp"
#include "io/zarr_store.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/sets_output.hpp"
#include "manychain/run/folds.hpp"
#include "manychain/run/sets.hpp"
#include "run/setting_names.hpp"
#include "sampling/sets.hpp"

namespace manychain::cli {
namespace {

const FileKind sets_file{"file of data sets",
                         [](const std::string& path) { return io::has_sets(path) || draws_file.holds(path); }, true};
const FileKind answers_file{"file of answers of data sets", io::is_sets_journal, true};

/// "1200 of 10000 data sets" on a terminal, now and then.
class SetsProgress {
 public:
  explicit SetsProgress(const KeptSets& kept) : all_(kept.sets()), done_(kept.answered()) {}
  SetsProgress(const SetsProgress&) = delete;
  SetsProgress& operator=(const SetsProgress&) = delete;
  ~SetsProgress() {
    if (shown_) say(stderr, "\r{:60}\r", "");
  }
  void add(const SetSummary& set) {
    ++done_;
    not_converged_ += !set.converged;
    const auto now = Clock::now();
    if (!terminal_ || (now - last_ < std::chrono::milliseconds(100) && done_ < all_)) return;
    last_ = now;
    shown_ = true;
    say(stderr, "\r{} of {} data sets, {} not converged", done_, all_, not_converged_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  const std::size_t all_;
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::size_t done_, not_converged_ = 0;
  bool shown_ = false;
  Clock::time_point last_;
};

/// Refuses the options of a run of one set that a run of many does not have.
void require_possible(const SetsCall& call) {
  if (program_ranks.ranks && !(call.kept.empty() && call.sets.part.empty()))
    throw BadInput("--checkpoint, --part: ranks have ranges of the data sets and keep none; leave it out");
  if (!call.sets.part.empty() && call.kept.empty())
    throw BadInput("--part needs --checkpoint FILE, from which manychain merge puts the parts together");
  if (!call.sets.part.empty() && call.how == SetsKept::begins && !call.sets.seed_given)
    throw BadInput("--part needs --seed, the same one for all parts");
  if (io::names_store(call.output))
    throw BadInput("--output " + call.output + ": data sets are written to NetCDF; take NAME.nc");
  if (call.settings.output.log_likelihood > 0 && call.output == "none" && call.kept.empty())
    throw BadInput("--output none leaves no file for --log-likelihood");
}

void print_header(std::FILE* to, const SetsCall& call, const std::string& model, std::size_t count) {
  say(to, "manychain {}: {}, {} data sets from {}, --seed {} and the numbers behind it\n", version, model, count,
      call.sets.file, call.settings.seed);
  std::fflush(to);
}

/// --show names what the first set has that the model takes. Larger sets may have more elements.
void require_shown(const SetsCall& call, const Model& first) {
  if (call.shown.table.show.empty()) return;
  std::vector<std::string> whole;
  for (const std::string& name : call.shown.table.show) whole.push_back(name.substr(0, name.find('[')));
  require_rows("--show", whole, first.layout().output_names());
}

/// The line that repeats a set alone.
void print_settings(std::FILE* to, const SetsResult& result) {
  Settings alone = result.settings;
  alone.cancel = nullptr;
  say(to, "  each set:{}\n", options_of(alone));
}

std::string write_all(const SetsCall& call, std::FILE* to, const SetsResult& result, KeptSets& kept) {
  std::string faults;
  const auto attempt = [&](const auto& write) {
    try {
      write();
    } catch (const Error& error) {
      faults += (faults.empty() ? "" : "; ") + std::string(error.what());
    }
  };
  attempt([&] { kept.finish(); });
  if (call.output != "none")
    attempt([&] {
      write_netcdf(call.output, result);
      const bool draws = !result.draws_left_out && result.sampled > 0;
      say(to, "\n{}: {}, {}\n", call.output, draws ? "draws and summaries" : "summaries", size_of_file(call.output));
      if (result.draws_left_out)
        say(to, "  The draws take more than --memory {} megabytes and are left out.\n", call.memory);
    });
  if (!call.shown.json.empty())
    attempt([&] {
      if (call.shown.json == "-")
        say(stdout, "{}\n", to_json(result));
      else
        write_text(call.shown.json, to_json(result));
    });
  return faults;
}

/// Returns the exit status.
int show_and_write(const SetsCall& call, std::FILE* to, const SetsResult& result, KeptSets& kept) {
  if (call.shown.verbose) print_settings(to, result);
  say(to, "  {:.3g} s, {} chains for each set\n\n{}", result.seconds, result.settings.chains,
      with_options(result.table(call.shown.table)));
  if (const std::string faults = write_all(call, to, result, kept); !faults.empty()) {
    say(stderr, "manychain: {}\n", sentence(faults));
    return failed;
  }
  if (result.cancelled && !kept.to_go_on().empty()) say(stderr, "To go on: {}\n", kept.to_go_on());
  if (InterruptGuard::requested || result.cancelled) return interrupted;
  if (result.sampled == 0 && result.failed > 0) return failed;
  return call.shown.require_converged && result.converged < result.sets.size() ? not_converged : success;
}

}  // namespace

void add_sets_options(CLI::App& app, SetsOptions& options) {
  add_option(app, "--data-sets", options.file,
             "Many data sets, each sampled on its own: an array of objects, an object of objects, an object on each "
             "line, or a table; --data is for what all have",
             "FILE.json|FILE.csv");
  add_option(app, "--set-column", options.column, "Of a table of data sets: the column that says of which set a row is",
             "NAME");
  add_option(app, "--part", options.part,
             "The K-th of N parts of the data sets alone, kept in --checkpoint, for manychain merge", "K/N");
  add_option(app, "--folds", options.folds,
             "Cross-validation: fits to the data without each of so many parts of the rows, which they predict");
  hide_default(app, "--folds");
}

int sample_data_sets(SetsCall call) {
  require_possible(call);
  const bool begins = call.how == SetsKept::begins;
  if (call.output.empty() && !call.sets.part.empty()) call.output = "none";
  std::vector<std::string> inputs = call.source.files();
  inputs.push_back(call.sets.file);
  if (!begins) inputs.insert(inputs.end(), call.kept.begin(), call.kept.end());
  if (!call.init.empty()) inputs.push_back(call.init);
  const auto look_at_outputs = [&] {
    if (!program_ranks.speaks()) return;
    require_outputs({{"--output", call.output == "none" ? "" : call.output, &sets_file},
                     {"--checkpoint", begins && !call.kept.empty() ? call.kept.front() : "", &answers_file},
                     {"--json", call.shown.json, &json_file}},
                    inputs);
  };
  look_at_outputs();
  const std::vector<DataSet> sets = data_sets_from_file(call.sets.file, call.sets.column);
  const Settings& s = call.settings;
  const ModelOfSet models = load_models(call.source, {{s.sampler}, s.precision, Backend::cpu, {}});
  SetsWanted wanted;
  if (!call.source.data.empty()) wanted.common = Data::from_files(call.source.data);
  const Model first = first_model(models, sets, wanted.common, s.seed);
  if (call.output.empty()) {
    call.output = call.source.stem(first.name()) + ".nc";
    look_at_outputs();
  }
  if (!call.init.empty()) wanted.initial_values = Data::all_from_file(call.init);
  if (call.output != "none" || !call.kept.empty())
    wanted.draw_bytes = static_cast<std::size_t>(memory_bytes(call.memory));
  require_shown(call, first);
  std::FILE* const to = call.shown.json == "-" ? stderr : stdout;
  KeptSets kept(call, models, sets, wanted);
  print_header(to, call, first.name(), sets.size());
  if (!begins || !call.sets.part.empty())
    say(to, "  {}{} of {} data sets have an answer\n", call.sets.part.empty() ? "" : "part " + call.sets.part + ": ",
        kept.answered(), kept.sets());
  InterruptGuard guard;
  call.settings.cancel = &InterruptGuard::requested;
  const SetsResult result = [&] {
    SetsProgress progress(kept);
    wanted.done = [&](std::size_t k, const SetSummary& set, const Result*) {
      progress.add(set);
      kept.add(k, set);
    };
    if (Ranks* const ranks = program_ranks.ranks) {
      Settings of_rank = call.settings;
      if (of_rank.backend == Backend::automatic) of_rank.backend = Backend::cpu;
      program_ranks.share_machine(first, of_rank);
      SetsResult of_all = sample_sets_in_ranks(models, sets, of_rank, wanted, *ranks);
      of_all.settings.threads = call.settings.threads;
      return of_all;
    }
    return sample_sets(models, sets, call.settings, wanted, kept.to_sample());
  }();
  int status = success;
  if (program_ranks.speaks()) status = show_and_write(call, to, result, kept);
  return program_ranks.ranks ? program_ranks.ranks->each(status)[0] : status;
}

int resume_data_sets(std::vector<std::string> kept, SetsKept how, const std::string& output, const RunShownAs& shown,
                     const Settings& settings, std::size_t every) {
  if (program_ranks.ranks) throw BadInput(kept.front() + ": has data sets, which go on in one process, without ranks");
  io::StoreFacts facts = io::read_sets_journal(kept.front()).facts;
  BegunBy begun = begun_by(kept.front(), facts);
  begun.settings.threads = settings.threads;
  begun.settings.time_limit = settings.time_limit;
  const bool merges = how == SetsKept::merges;
  const SetsOptions sets{facts["sets"], facts["sets_column"], merges ? "" : facts["part"]};
  SetsCall call{begun.source,
                sets,
                shown,
                output.empty() ? facts["output"] : output,
                std::strtoull(facts["memory"].c_str(), nullptr, 10),
                begun.settings,
                facts["init"],
                how,
                std::move(kept),
                every};
  return sample_data_sets(std::move(call));
}

int cross_validate_model(SetsCall call) {
  if (program_ranks.ranks) throw BadInput("--folds: ranks share the chains of one data set; run it without them");
  if (!call.output.empty() && call.output != "none")
    throw BadInput("--output: --folds leaves no file of draws; --json writes what it finds");
  require_outputs({{"--json", call.shown.json, &json_file}}, call.source.files());
  const Settings& s = call.settings;
  const Model model = load_model(call.source, s.seed, {{s.sampler}, s.precision, Backend::cpu, {}});
  std::FILE* const to = call.shown.json == "-" ? stderr : stdout;
  say(to, "manychain {}: {}, {}, --seed {}\n\n", version, model.name(), call.source.data_in_words(), s.seed);
  std::fflush(to);
  InterruptGuard guard;
  call.settings.cancel = &InterruptGuard::requested;
  const CrossValidation found = cross_validate(model, call.sets.folds, call.settings);
  if (call.shown.verbose) print_settings(to, found.fits);
  say(to, "{}", with_options(found.table()));
  if (call.shown.json == "-")
    say(stdout, "{}\n", to_json(found));
  else if (!call.shown.json.empty())
    write_text(call.shown.json, to_json(found));
  return call.shown.require_converged && !found.converged ? not_converged : success;
}

}  // namespace manychain::cli
