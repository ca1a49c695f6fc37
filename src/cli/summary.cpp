// manychain summary and manychain diagnose: draws from files, of this program or any other.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/options.hpp"
#include "cli/posterior.hpp"
#include "io/version.hpp"
#include "manychain/core/error.hpp"

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
    "FILE: Stan CSV, one file a chain, of CmdStan or any program that writes it; or one NetCDF file of\n"
    "manychain, ArviZ or PyMC. Draws of warm-up are left out.\n";

/// Everything of `to_json(result)` that draws alone can tell, under the same names, and what only draws can.
std::string to_json(const Posterior& posterior) {
  nlohmann::ordered_json json;
  json["manychain"] = version;
  json["files"] = posterior.paths;
  json["chains"] = posterior.file.chains;
  json["draws"] = posterior.file.draws;
  json["converged"] = posterior.converged();
  json["problems"] = nlohmann::ordered_json::array();
  json["notes"] = nlohmann::ordered_json::array();
  for (const Finding& finding : posterior.findings) {
    json[finding.fails ? "problems" : "notes"].push_back(finding.what + " " + finding.advice);
  }
  // Straight to the vector below: a look-up of every new key would make this quadratic in the number of quantities.
  nlohmann::ordered_json::object_t parameters;
  auto& entries = static_cast<nlohmann::ordered_json::object_t::Container&>(parameters);
  for (std::size_t i = 0; i < posterior.summaries.size(); ++i) {
    const diagnostics::QuantitySummary& s = posterior.summaries[i];
    entries.emplace_back(posterior.file.names[i], nlohmann::ordered_json{{"mean", s.mean},
                                                                         {"sd", s.sd},
                                                                         {"mad", s.mad},
                                                                         {"q5", s.q5},
                                                                         {"q50", s.q50},
                                                                         {"q95", s.q95},
                                                                         {"rhat", s.rhat},
                                                                         {"ess_bulk", s.ess_bulk},
                                                                         {"ess_tail", s.ess_tail},
                                                                         {"mcse_mean", s.mcse_mean},
                                                                         {"mcse_sd", s.mcse_sd},
                                                                         {"mcse_q5", s.mcse_q5},
                                                                         {"mcse_q50", s.mcse_q50},
                                                                         {"mcse_q95", s.mcse_q95}});
  }
  json["parameters"] = std::move(parameters);
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Posterior read(const Options& options, std::FILE* to) {
  if (!options.json.empty() && options.json != "-") {
    if (std::count(options.files.begin(), options.files.end(), options.json) > 0) {
      throw BadInput(options.json + ": cannot be written: it is a file that is read");
    }
    require_writable(options.json);
  }
  Posterior posterior = read_posterior(options.files, options.threads, listed(options.show));
  say(to, "manychain {}: {} quantities, {} {} of {} draws\n", version, posterior.summaries.size(),
      posterior.file.chains, posterior.file.chains == 1 ? "chain" : "chains", posterior.file.draws);
  return posterior;
}

void write_json(const Options& options, const Posterior& posterior) {
  if (options.json == "-") {
    say(stdout, "{}\n", to_json(posterior));
  } else if (!options.json.empty()) {
    write_text(options.json, to_json(posterior));
  }
}

int summarise_files(const Options& options) {
  // With the JSON on stdout, everything that is for people goes to stderr.
  std::FILE* const to = options.json == "-" ? stderr : stdout;
  const Posterior posterior = read(options, to);
  say(to, "{}\n{}", verdict(posterior, false), table(posterior, options.rows, listed(options.show)));
  write_json(options, posterior);
  return success;
}

int diagnose_files(const Options& options) {
  std::FILE* const to = options.json == "-" ? stderr : stdout;
  const Posterior posterior = read(options, to);
  const io::DrawsFile& file = posterior.file;
  say(to, "{}", verdict(posterior, true));
  // What nobody has written down cannot be found: say so, or its absence reads like a pass.
  std::string unseen;
  if (!file.stat("diverging")) unseen += "divergences";
  if (!file.stat("energy")) unseen += (unseen.empty() ? "" : " and ") + std::string("the energy (E-BFMI)");
  if (!unseen.empty()) say(to, "  note: Not looked at, because the files do not have it: {}.\n", unseen);
  write_json(options, posterior);
  return posterior.converged() ? success : not_converged;
}

CLI::App* add(CLI::App& parent, const char* name, const char* description, Options& options) {
  CLI::App* app = parent.add_subcommand(name, description);
  app->add_option("FILE", options.files, "Draws: Stan CSV, one file a chain; or one NetCDF file");
  app->add_option("--json", options.json, "Write it as one JSON object; -: to stdout, and the rest to stderr")
      ->type_name("FILE");
  app->add_option("--threads", options.threads, "CPU threads; 0: all there are")
      ->capture_default_str()
      ->type_name("N")
      ->check(whole_number);
  return app;
}

}  // namespace

Command summary_command(CLI::App& parent) {
  const auto options = std::make_shared<Options>();
  CLI::App* app = add(parent, "summary",
                      "Summarise draws from files: of many quantities the scalars first, then the worst", *options);
  app->add_option("--rows", options->rows, "Rows of the table; 0: all")
      ->capture_default_str()
      ->type_name("N")
      ->check(whole_number);
  app->add_option("--show", options->show, "These rows alone: mu, theta[3], or theta for all of its elements")
      ->type_name("NAME,...");
  app->footer(what_files);
  return {app, [options] { return summarise_files(*options); }};
}

Command diagnose_command(CLI::App& parent) {
  const auto options = std::make_shared<Options>();
  CLI::App* app = add(parent, "diagnose", "Say what is wrong with draws from files, and what to do", *options);
  app->footer(std::string(what_files) + "Exit status: 0 if nothing speaks against the draws; 4 if something does.");
  return {app, [options] { return diagnose_files(*options); }};
}

}  // namespace manychain::cli
