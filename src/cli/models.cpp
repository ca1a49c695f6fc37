// manychain models, the commands that speak of models, and how every one of them finds its model.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "cli/own/own_model.hpp"
#include "core/missing_variable.hpp"
#include "manychain/core/error.hpp"
#include "run/models_left_out.hpp"
#include "text/suggest.hpp"

namespace manychain::cli {
namespace {

/// "mu, tau, theta[8]": the parameters with their shapes.
std::string parameters(const Layout& layout, bool derived) {
  std::string text;
  for (const Quantity& quantity : layout.quantities) {
    if (quantity.derived != derived) continue;
    if (!text.empty()) text += ", ";
    text += quantity.name;
    if (!quantity.shape.empty()) text += fmt::format("[{}]", fmt::join(quantity.shape, ","));
  }
  return text;
}

int list_models() {
  std::size_t width = 0;
  for (const ModelInfo& info : builtin_models()) width = std::max(width, info.name.size());
  say(stdout, "{:<{}}  {:>9}  parameters and description\n", "model", width, "dimension");
  for (const ModelInfo& info : builtin_models()) {
    const std::string indent(width + 13, ' ');
    try {
      const Model model(*info.unit);
      say(stdout, "{:<{}}  {:>9}  {}\n", info.name, width, model.layout().dimension, parameters(model.layout(), false));
      const std::string derived = parameters(model.layout(), true);
      if (!derived.empty()) say(stdout, "{}derived: {}\n", indent, derived);
    } catch (const BadInput&) {
      say(stdout, "{:<{}}  {:>9}  known once there are data\n", info.name, width, "-");
    }
    say(stdout, "{}{}{}\n", indent, info.description, info.carries_data ? " (carries its data)" : "");
  }
  return success;
}

}  // namespace

Model load_model(const std::string& name, const std::vector<std::string>& data) {
  if (const ModelInfo* const model = find_model(name)) {
    if (!data.empty()) return Model(*model->unit, Data::from_files(data));
    if (model->carries_data) return Model(*model->unit);
    try {
      return Model(*model->unit);
    } catch (const MissingVariable& error) {
      throw BadInput(error.what() + std::string(no_data_advice));
    }
  }
  std::vector<std::string> names;
  for (const ModelInfo& info : builtin_models()) names.push_back(info.name);
  if (name.empty()) throw BadInput(fmt::format("give a model: {}", fmt::join(names, ", ")));
  require_not_left_out(name);
  std::error_code none;
  const std::string header = name + ".hpp";
  throw BadInput(
      fmt::format("unknown model {}{}; there are {}", name,
                  std::filesystem::exists(header, none) ? "; did you mean " + header + "?" : did_you_mean(name, names),
                  fmt::join(names, ", ")));
}

std::vector<CommandMaker> commands_of_models() {
  return {sample_command, resume_command, merge_command, summary_command, diagnose_command,
          report_command, check_command,  test_command,  models_command};
}

Command models_command(CLI::App& parent) {
  return {add_command(parent, "models", "List the models that are built in"), list_models};
}

}  // namespace manychain::cli
