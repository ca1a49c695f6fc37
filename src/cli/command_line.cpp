// All commands of the command line.
#include "cli/commands.hpp"
#include "cli/own/own_model.hpp"

namespace manychain::cli {

int command_line(int argc, char** argv) {
  if (const std::optional<int> status = start_other_program(argc, argv)) return *status;
  std::vector<CommandMaker> commands = commands_of_models();
  commands.insert(commands.end(), {evidence_command, new_command, build_command, markov_command, gallery_command});
  return run_commands(argc, argv, commands);
}

}  // namespace manychain::cli
