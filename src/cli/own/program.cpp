// The program of one model of the user's own: the command line of manychain, with that model in place of the built-in
// ones. `manychain build` links it, and `manychain sample model.hpp` does and turns into it.
#include <filesystem>
#include <string_view>

#include "cli/own/own_model.hpp"
#include "manychain/chain/program_unit.hpp"
#include "manychain/core/error.hpp"
#include "run/models_left_out.hpp"

// The generated units define these.
const manychain::ModelUnit& manychain_unit_own();
manychain::ProgramUnit manychain_cpu_own();

namespace manychain {

const std::vector<ModelInfo>& builtin_models() {
  static const std::vector<ModelInfo> table = {
      {manychain_unit_own().name, manychain_unit_own().description, &manychain_unit_own(), false}};
  return table;
}
std::vector<std::string> models_left_out() { return {}; }

namespace cli {
namespace {

/// The header that `manychain` was asked for, where that has started this program.
std::string started_for;

}  // namespace

const char* const model_argument = "Name of the model; default: the one that this program has";

// The options of `manychain`, which hands its whole line on.
void add_header_options(CLI::App& app, HeaderOptions& options) {
  if (started_for.empty()) return;
  add_option(app, "--class", options.class_name, "");
  add_option(app, "--cache", options.cache, "");
}

void start_if_header(const std::string& model, const std::vector<std::string>*, const HeaderOptions&,
                     const WantedCode& wanted) {
  if (model != started_for && model.find_first_of("./") != std::string::npos)
    throw BadInput(model + ": this program has a model of its own, " + builtin_models()[0].name +
                   "; manychain compiles others");
  if (wanted.samplers.empty()) return;
  const ProgramUnit compiled = manychain_cpu_own();
  const char* const missing = !compiled.float32 && wanted.precision == Precision::single_precision   ? "single"
                              : !compiled.float64 && wanted.precision == Precision::double_precision ? "double"
                                                                                                     : nullptr;
  if (missing)
    throw BadInput(std::string("this program has no code in ") + missing + " precision: take --precision " +
                   (compiled.float32 ? "single" : "double") + ", or build it without --precision");
}

const ModelInfo* find_model(const std::string& name) {
  const ModelInfo& only = builtin_models()[0];
  return name.empty() || name == started_for || name == only.name ? &only : nullptr;
}

}  // namespace cli
}  // namespace manychain

int main(int argc, char** argv) {
  using namespace manychain::cli;
  if (argc > 1 && std::string_view(argv[1]).substr(0, started_for_option.size()) == started_for_option) {
    started_for = argv[1] + started_for_option.size();
    argv[1] = argv[0];
    ++argv;
    --argc;
  }
  ProgramName name;
  if (started_for.empty()) {
    name.name = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "";
    name.example = name.name + " sample --data FILE.json";
  }
  return run_commands(argc, argv, commands_of_models(), name);
}
