// manychain report: draws from files as a page of HTML.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/commands.hpp"
#include "cli/draws.hpp"
#include "cli/files.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "io/predictions.hpp"
#include "manychain/core/error.hpp"
#include "report/report.hpp"
#include "run/setting_names.hpp"

namespace manychain::cli {

namespace fs = std::filesystem;

namespace {

struct ReportOptions {
  DrawsOptions draws;
  std::string output;
};

/// Beside the draws, under their name.
std::string default_output(const std::string& draws) { return fs::path(draws).replace_extension(".html").string(); }

constexpr FileKind page_file{"report", report::is_report};

int write_report(const ReportOptions& options) {
  if (options.draws.files.empty()) throw BadInput("give a file of draws: manychain report draws.nc");
  const bool to_stdout = options.output == "-";
  const std::string output = options.output.empty() ? default_output(options.draws.files[0]) : options.output;
  require_outputs({{"--output", output, &page_file}}, options.draws.files);
  std::FILE* const to = to_stdout ? stderr : stdout;
  const Diagnosis diagnosis = read_diagnosis(options.draws, to);
  say(to, "{}", with_options(diagnosis.verdict.text(false)));
  const std::string page = report::page(diagnosis, io::read_predictions(diagnosis.file), table_options(options.draws),
                                        options.draws.threads);
  if (to_stdout) {
    say(stdout, "{}\n", page);
  } else {
    write_text(output, page);
    say(to, "\nReport: {} ({})\n", output, size_of_file(output));
  }
  return success;
}

}  // namespace

Command report_command(CLI::App& parent) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* app = add_command(parent, "report", "Make a page of draws from files, to show and to judge them: HTML");
  add_draws_options(*app, options->draws);
  add_table_options(*app, options->draws);
  add_option(*app, "-o,--output", options->output,
             "The page; default: the name of the draws with .html; -: to stdout, and the rest to stderr", "FILE.html");
  add_footer(*app, std::string(what_draws_files) +
                       "The page has the verdict, the settings that the file keeps, the table and pictures of what it\n"
                       "shows, and needs nothing but itself. A page of that name is replaced, any other file is not.");
  return {app, [options] { return write_report(*options); }};
}

}  // namespace manychain::cli
