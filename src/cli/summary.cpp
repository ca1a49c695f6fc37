// manychain summary and manychain diagnose: draws from files, of this program or any other.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/options.hpp"
#include "io/version.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/diagnosis.hpp"
#include "run/setting_names.hpp"

namespace manychain::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string json;
  std::size_t rows = 40;
  std::string show;
  int threads = 0;
};

constexpr const char* what_files =
    "FILE: Stan CSV, one file per chain, of CmdStan or any program that writes it; or one NetCDF file of\n"
    "manychain, ArviZ or PyMC. Draws of warm-up are left out.\n";

Diagnosis read(const Options& options, std::FILE* to) {
  if (!options.json.empty() && options.json != "-") {
    if (std::count(options.files.begin(), options.files.end(), options.json) > 0) {
      throw BadInput(options.json + ": cannot be written: it is a file that is read");
    }
    require_writable(options.json);
  }
  DrawsFile file = read_draws(options.files);
  require_rows("--show", listed(options.show), file.names);
  Diagnosis diagnosis = diagnose(std::move(file), options.threads);
  say(to, "manychain {}: {} quantities, {} {} of {} draws\n", version, diagnosis.summary.size(), diagnosis.file.chains,
      diagnosis.file.chains == 1 ? "chain" : "chains", diagnosis.file.draws);
  return diagnosis;
}

void write_json(const Options& options, const Diagnosis& diagnosis) {
  if (options.json == "-") {
    say(stdout, "{}\n", with_options(to_json(diagnosis)));
  } else if (!options.json.empty()) {
    write_text(options.json, with_options(to_json(diagnosis)));
  }
}

int summarise_files(const Options& options) {
  // With the JSON on stdout, everything that is for people goes to stderr.
  std::FILE* const to = options.json == "-" ? stderr : stdout;
  const Diagnosis diagnosis = read(options, to);
  TableOptions table;
  table.rows = options.rows;
  table.show = listed(options.show);
  say(to, "{}\n{}", with_options(diagnosis.verdict.text(false)), diagnosis.table(table));
  if (table.show.empty() && table.rows > 0 && table.rows < diagnosis.summary.size()) say(to, "--rows 0 shows all.\n");
  write_json(options, diagnosis);
  return success;
}

int diagnose_files(const Options& options) {
  std::FILE* const to = options.json == "-" ? stderr : stdout;
  const Diagnosis diagnosis = read(options, to);
  say(to, "{}", with_options(diagnosis.verdict.text()));
  write_json(options, diagnosis);
  return diagnosis.verdict.sound() ? success : not_converged;
}

CLI::App* add(CLI::App& parent, const char* name, const char* description, Options& options) {
  CLI::App* app = add_command(parent, name, description);
  add_option(*app, "FILE", options.files, "Draws: Stan CSV, one file per chain; or one NetCDF file");
  add_option(*app, "--json", options.json, "Write it as one JSON object; -: to stdout, and the rest to stderr", "FILE");
  add_option(*app, "--threads", options.threads, "CPU threads; 0: all there are");
  return app;
}

}  // namespace

Command summary_command(CLI::App& parent) {
  const auto options = std::make_shared<Options>();
  CLI::App* app = add(parent, "summary",
                      "Summarise draws from files: of many quantities the scalars first, then the worst", *options);
  add_option(*app, "--rows", options->rows, "Rows of the table; 0: all");
  add_option(*app, "--show", options->show,
             "These rows alone: mu, theta[3], theta for all of its elements, or th* for all names so", "NAME,...");
  add_footer(*app, what_files);
  return {app, [options] { return summarise_files(*options); }};
}

Command diagnose_command(CLI::App& parent) {
  const auto options = std::make_shared<Options>();
  CLI::App* app = add(parent, "diagnose", "Say what is wrong with draws from files, and what to do", *options);
  add_footer(*app,
             std::string(what_files) + "Exit status: 0 if nothing speaks against the draws; 4 if something does.");
  return {app, [options] { return diagnose_files(*options); }};
}

}  // namespace manychain::cli
