#include "cli/sample_sets.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <vector>

#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/ranks.hpp"
#include "cli/run_files.hpp"
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

/// "1200 of 10000 data sets" on a terminal, now and then.
class SetsProgress {
 public:
  explicit SetsProgress(std::size_t all) : all_(all) {}
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
  std::size_t done_ = 0, not_converged_ = 0;
  bool shown_ = false;
  Clock::time_point last_;
};

/// Refuses the options of a run of one set that a run of many does not have.
void require_possible(const SetsCall& call) {
  if (program_ranks.ranks) throw BadInput("--data-sets: ranks share the chains of one data set; run it without them");
  if (io::names_store(call.output))
    throw BadInput("--output " + call.output + ": data sets are written to NetCDF; take NAME.nc");
  if (call.settings.output.log_likelihood > 0 && call.output == "none")
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

std::string write_all(const SetsCall& call, std::FILE* to, const SetsResult& result) {
  std::string faults;
  const auto attempt = [&](const auto& write) {
    try {
      write();
    } catch (const Error& error) {
      faults += (faults.empty() ? "" : "; ") + std::string(error.what());
    }
  };
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

}  // namespace

void add_sets_options(CLI::App& app, SetsOptions& options) {
  add_option(app, "--data-sets", options.file,
             "Many data sets, each sampled on its own: an array of objects, an object of objects, an object on each "
             "line, or a table; --data is for what all have",
             "FILE.json|FILE.csv");
  add_option(app, "--set-column", options.column, "Of a table of data sets: the column that says of which set a row is",
             "NAME");
  add_option(app, "--folds", options.folds,
             "Cross-validation: fits to the data without each of so many parts of the rows, which they predict");
  hide_default(app, "--folds");
}

int sample_data_sets(SetsCall call) {
  require_possible(call);
  std::vector<std::string> inputs = call.source.files();
  inputs.push_back(call.sets.file);
  if (!call.init.empty()) inputs.push_back(call.init);
  const auto look_at_outputs = [&] {
    require_outputs(
        {{"--output", call.output == "none" ? "" : call.output, &sets_file}, {"--json", call.shown.json, &json_file}},
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
  if (call.output != "none") wanted.draw_bytes = static_cast<std::size_t>(memory_bytes(call.memory));
  require_shown(call, first);
  std::FILE* const to = call.shown.json == "-" ? stderr : stdout;
  print_header(to, call, first.name(), sets.size());
  InterruptGuard guard;
  call.settings.cancel = &InterruptGuard::requested;
  const SetsResult result = [&] {
    SetsProgress progress(sets.size());
    wanted.done = [&](std::size_t, const SetSummary& set, const Result*) { progress.add(set); };
    return sample_sets(models, sets, call.settings, wanted);
  }();
  if (call.shown.verbose) print_settings(to, result);
  say(to, "  {:.3g} s, {} chains for each set\n\n{}", result.seconds, result.settings.chains,
      with_options(result.table(call.shown.table)));
  if (const std::string faults = write_all(call, to, result); !faults.empty()) {
    say(stderr, "manychain: {}\n", sentence(faults));
    return failed;
  }
  if (InterruptGuard::requested || result.cancelled) return interrupted;
  if (result.sampled == 0 && result.failed > 0) return failed;
  return call.shown.require_converged && result.converged < result.sets.size() ? not_converged : success;
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
