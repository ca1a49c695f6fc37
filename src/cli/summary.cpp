// manychain summary and manychain diagnose: draws from files, of this program or any other.
#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/draws.hpp"
#include "cli/files.hpp"
#include "cli/outputs.hpp"
#include "manychain/io/diagnosis.hpp"
#include "run/setting_names.hpp"

namespace manychain::cli {
namespace {

struct SummaryOptions {
  DrawsOptions draws;
  std::string json;
};

Diagnosis read(const SummaryOptions& options, std::FILE* to) {
  require_outputs({{"--json", options.json, &json_file}}, options.draws.files);
  return read_diagnosis(options.draws, to);
}

void write_json(const SummaryOptions& options, const Diagnosis& diagnosis) {
  if (options.json == "-") {
    say(stdout, "{}\n", with_options(to_json(diagnosis)));
  } else if (!options.json.empty()) {
    write_text(options.json, with_options(to_json(diagnosis)));
  }
}

int summarise_files(const SummaryOptions& options) {
  // With the JSON on stdout, everything that is for people goes to stderr.
  std::FILE* const to = options.json == "-" ? stderr : stdout;
  const Diagnosis diagnosis = read(options, to);
  const TableOptions table = table_options(options.draws);
  say(to, "{}\n{}", with_options(diagnosis.verdict.text(false)), diagnosis.table(table));
  if (table.show.empty() && table.rows > 0 && table.rows < diagnosis.summary.size()) say(to, "--rows 0 shows all.\n");
  write_json(options, diagnosis);
  return success;
}

int diagnose_files(const SummaryOptions& options) {
  std::FILE* const to = options.json == "-" ? stderr : stdout;
  const Diagnosis diagnosis = read(options, to);
  say(to, "{}", with_options(diagnosis.verdict.text()));
  write_json(options, diagnosis);
  return diagnosis.verdict.sound() ? success : not_converged;
}

CLI::App* add(CLI::App& parent, const char* name, const char* description, SummaryOptions& options) {
  CLI::App* app = add_command(parent, name, description);
  add_draws_options(*app, options.draws);
  add_option(*app, "--json", options.json, "Write it as one JSON object; -: to stdout, and the rest to stderr", "FILE");
  return app;
}

}  // namespace

Command summary_command(CLI::App& parent) {
  const auto options = std::make_shared<SummaryOptions>();
  CLI::App* app = add(parent, "summary",
                      "Summarise draws from files: of many quantities the scalars first, then the worst", *options);
  add_table_options(*app, options->draws);
  add_footer(*app, what_draws_files);
  return {app, [options] { return summarise_files(*options); }};
}

Command diagnose_command(CLI::App& parent) {
  const auto options = std::make_shared<SummaryOptions>();
  CLI::App* app = add(parent, "diagnose", "Say what is wrong with draws from files, and what to do", *options);
  add_footer(
      *app, std::string(what_draws_files) + "Exit status: 0 if nothing speaks against the draws; 4 if something does.");
  return {app, [options] { return diagnose_files(*options); }};
}

}  // namespace manychain::cli
