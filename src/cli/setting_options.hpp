// The settings of a run as options of the command line, made from the table in run/setting_table.hpp.
#pragma once

#include <string>

#include "manychain/run/settings.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace manychain::cli {

/// Adds the option of the setting of that name. It writes to `settings`, and shows what stands there now as default.
CLI::Option* add_setting(CLI::App& app, Settings& settings, const std::string& name);
/// All that have an option.
void add_settings(CLI::App& app, Settings& settings);

}  // namespace manychain::cli
