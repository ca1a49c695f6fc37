// manychain evidence: log Z of a model by two ways; of two models, the Bayes factor.
#include "manychain/run/evidence.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <random>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/model_source.hpp"
#include "cli/outputs.hpp"
#include "cli/own/own_model.hpp"
#include "cli/setting_options.hpp"
#include "core/missing_variable.hpp"
#include "core/version.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/output.hpp"
#include "manychain/own_model.hpp"
#include "own_model/toolchain.hpp"
#include "run/setting_names.hpp"

namespace manychain::cli {
namespace {

struct EvidenceOptions {
  ModelSource source;
  std::string other, json;
  Settings settings;
};

bool is_header(const std::string& model) { return model.find_first_of("./") != std::string::npos; }

/// A header is loaded into this process, beside another one.
Model load(const ModelSource& source, const std::string& model, const Settings& settings) {
  if (!is_header(model) || model.empty()) {
    ModelSource one = source;
    one.model = model;
    return load_model(one, settings.seed, {{settings.sampler}, settings.precision, Backend::cpu, {}});
  }
  CompileSettings how;
  how.class_name = source.header.class_name;
  how.cache = source.header.cache;
  how.share = own_model::share_of_command_line().string();
  how.cancel = &InterruptGuard::requested;
  how.progress = [](const std::string& line) { say(stderr, "{}\n", line); };
  InterruptGuard guard;
  const ModelUnit& unit = compile_model(model, how);
  if (!source.data.empty()) return Model(unit, Data::from_files(source.data));
  try {
    return Model(unit);
  } catch (const MissingVariable& error) {
    throw BadInput(error.what() + std::string(no_data_advice));
  }
}

Evidence evidence_of(const EvidenceOptions& options, const std::string& name, std::FILE* to) {
  const Model model = load(options.source, name, options.settings);
  say(to, "manychain {}: {}, {} unconstrained parameters, {}, --seed {}\n", version, model.name(),
      model.layout().dimension, options.source.data_in_words(), options.settings.seed);
  std::fflush(to);
  InterruptGuard guard;
  Settings settings = options.settings;
  settings.cancel = &InterruptGuard::requested;
  const Evidence found = evidence(model, settings);
  say(to, "{}", with_options(found.table()));
  return found;
}

int run(const EvidenceOptions& options) {
  std::vector<std::string> inputs = options.source.files();
  if (is_header(options.other)) inputs.push_back(options.other);
  require_outputs({{"--json", options.json, &json_file}}, inputs);
  std::FILE* const to = options.json == "-" ? stderr : stdout;
  const Evidence first = evidence_of(options, options.source.model, to);
  std::string json = to_json(first);
  bool trusted = first.warnings.empty();
  if (!options.other.empty()) {
    const Evidence second = evidence_of(options, options.other, to);
    say(to, "{}", bayes_factor_in_words(first, second));
    json = to_json(first, second);
    trusted = trusted && second.warnings.empty();
  }
  if (options.json == "-")
    say(stdout, "{}\n", json);
  else if (!options.json.empty())
    write_text(options.json, json);
  return trusted ? success : not_converged;
}

}  // namespace

Command evidence_command(CLI::App& parent) {
  const auto options = std::make_shared<EvidenceOptions>();
  CLI::App* app = add_command(parent, "evidence",
                              "The evidence, log Z: the integral of a model's density; of two models the Bayes factor");
  add_model_options(*app, options->source);
  add_option(*app, "OTHER", options->other, "A second model of the same data, which is compared with the first");
  add_option(*app, "--chains", options->settings.chains,
             "Particles, and as many chains; default: 1024, or 256 where a gradient is expensive");
  hide_default(*app, "--chains");
  options->settings.seed = std::random_device{}();
  for (const char* name : {"warmup", "draws", "thin", "seed", "threads"}) add_setting(*app, options->settings, name);
  hide_default(*app, "--seed");
  add_option(*app, "--json", options->json,
             "Write what was found as one JSON object; -: to stdout, and the rest to stderr", "FILE");
  add_footer(
      *app,
      "By two ways: particles go from a reference to the posterior by temperatures, and draws of chains go back. "
      "Runs on the CPU, in double.\nExit status: 0; 4 if the two ways disagree or something else speaks against "
      "the answer; 2 for a bad command line, bad data or a model that has no evidence; 130 when interrupted.");
  return {app, [options] { return run(*options); }};
}

}  // namespace manychain::cli
