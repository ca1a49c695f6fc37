// The commands of the programs `manychain`, `manychain-markov` and `manychain-gallery`. Only here is anything printed
// and any signal caught.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manychain/run/model.hpp"

namespace CLI {
class App;  // a unit that includes the parser takes three seconds more to compile: few do
}

namespace manychain::cli {

enum ExitStatus {
  success = 0,
  not_passed = 1,     ///< a model that `manychain test` found wrong, or could not tell of
  bad_input = 2,      ///< a bad command line or bad data
  failed = 3,         ///< sampling, or a check of a gradient, failed
  not_converged = 4,  ///< the draws cannot be trusted yet, or never
  disagrees = 5,      ///< an answer of the gallery is not the known one
  interrupted = 130   ///< what a shell calls a program that Ctrl-C ended; the draws until then are kept
};

/// A command as the parser knows it. `run` is called once the line is parsed, and returns the exit status.
struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;
};

Command sample_command(CLI::App& parent);
Command resume_command(CLI::App& parent);
Command merge_command(CLI::App& parent);
Command summary_command(CLI::App& parent);
Command diagnose_command(CLI::App& parent);
Command report_command(CLI::App& parent);
Command check_command(CLI::App& parent);
Command test_command(CLI::App& parent);
Command models_command(CLI::App& parent);
Command markov_command(CLI::App& parent);
Command gallery_command(CLI::App& parent);

// By these functions a command adds options without the parser's header. `type` stands for the value in the help; null:
// the parser's own word.
CLI::App* add_command(CLI::App& parent, const char* name, const char* description);
void add_option(CLI::App& app, const char* name, std::string& value, const char* help, const char* type = nullptr);
void add_option(CLI::App& app, const char* name, std::vector<std::string>& values, const char* help);
/// An option that may be given several times, each with one value.
void add_list(CLI::App& app, const char* name, std::vector<std::string>& values, const char* help, const char* type);
/// Whole numbers; the help shows what stands there now as default.
void add_option(CLI::App& app, const char* name, std::size_t& value, const char* help);
void add_option(CLI::App& app, const char* name, int& value, const char* help);
void add_flag(CLI::App& app, const char* name, bool& value, const char* help);
void add_footer(CLI::App& app, const std::string& text);
/// Takes the place of the option of that name.
void replace_option(CLI::App& app, const char* name, std::string& value, const char* help, const char* type);
/// The line must have it.
void require_option(CLI::App& app, const char* name);
/// The help shows no default for this option.
void hide_default(CLI::App& app, const char* name);
/// True once a line is parsed that has it.
bool is_given(const CLI::App& app, const char* name);

using CommandMaker = Command (*)(CLI::App&);
/// The commands that speak of models and of draws, which a program of one model has as well (cli/own/program.cpp).
std::vector<CommandMaker> commands_of_models();

/// The name of a program in its help, and a line to try first.
struct ProgramName {
  std::string name = "manychain";
  std::string example = "manychain sample eight_schools";
};

/// Parses the line and runs its command; returns the exit status. All errors end here, in a line on stderr.
int run_commands(int argc, const char* const* argv, const std::vector<CommandMaker>& commands,
                 const ProgramName& name = {});
/// The line that run_commands() was given.
const std::vector<std::string>& command_line();
/// The first word of a program of one model that `manychain` turns into, with a model's header behind it: that header
/// stands in its command line and means its model.
inline constexpr std::string_view started_for_option = "--manychain-started-for=";

/// Runs a program of one command, whose `argv` lacks its name.
int run_one_command(const char* name, int argc, const char* const* argv, Command (*command)(CLI::App&));
/// The whole command line, with all commands. `argv` as main() has it.
int command_line(int argc, char** argv);
/// Turns into the program of the command in the line, if that is one of its own beside this one. Returns an exit status
/// where such a program cannot be started, nothing where the command is one of this program.
std::optional<int> start_other_program(int argc, char** argv);

/// The help of the option --data.
inline constexpr const char* data_help =
    "Data in CmdStan's JSON, or FILE.csv, whose columns are vectors; several times: all of them";

/// Stands behind the name of a variable that a model lacks, where it is given no data.
inline constexpr const char* no_data_advice = "; give its data by --data FILE.json";

/// The model of that name; with data from files unless there are none. A misspelt name gets a suggestion.
Model load_model(const std::string& name, const std::vector<std::string>& data);

}  // namespace manychain::cli
