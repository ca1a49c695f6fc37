// manychain check: is a model right? Its gradient, the Jacobians of its constraints, precisions and backends.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/model_source.hpp"
#include "cli/outputs.hpp"
#include "manychain/io/output.hpp"
#include "run/setting_names.hpp"

namespace manychain::cli {

Command check_command(CLI::App& parent) {
  struct Options {
    ModelSource source;
    std::string json;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* app = add_command(parent, "check",
                              "Look for mistakes in a model: gradient, Jacobians, terms that are not finite, "
                              "precisions, backends");
  add_model_options(*app, options->source);
  add_option(*app, "--json", options->json,
             "Write what was found as one JSON object; -: to stdout, and the rest to stderr", "FILE");
  add_footer(
      *app,
      "Exit status: 0 if nothing is wrong, 3 if something is or rounding hides whether the gradient is right, 2 for a "
      "bad command line or bad data. That single precision is not enough where the posterior is is said, and no "
      "mistake.");
  return {app, [options] {
            // As `manychain sample` has it: precisions and backends are compared, and what is compiled serves both.
            WantedCode wanted;
            wanted.samplers = {Settings().sampler};
            wanted.backend = Backend::automatic;
            require_outputs({{"--json", options->json, &json_file}}, options->source.files());
            const Model model = load_model(options->source, 0, wanted);
            const ModelCheck check = check_model(model);
            say(options->json == "-" ? stderr : stdout, "{}", with_options(check.table()));
            if (options->json == "-")
              say(stdout, "{}\n", to_json(check));
            else if (!options->json.empty())
              write_text(options->json, to_json(check));
            return check.passed ? success : failed;
          }};
}

}  // namespace manychain::cli
