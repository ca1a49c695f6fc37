// manychain models, and how every command finds its model.
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/files.hpp"
#include "manychain/core/error.hpp"
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
  std::vector<std::string> names;
  for (const ModelInfo& info : builtin_models()) names.push_back(info.name);
  if (name.empty()) throw BadInput(fmt::format("give a model: {}", fmt::join(names, ", ")));
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw BadInput(
        fmt::format("unknown model {}{}; there are {}", name, did_you_mean(name, names), fmt::join(names, ", ")));
  }
  return data.empty() ? builtin_model(name) : builtin_model(name, Data::from_files(data));
}

Command models_command(CLI::App& parent) {
  return {add_command(parent, "models", "List the built-in models"), list_models};
}

}  // namespace manychain::cli
