#include "cli/commands.hpp"

int main(int argc, char** argv) {
  using namespace manychain::cli;
  if (const std::optional<int> status = start_other_program(argc, argv)) return *status;
  return run_commands(argc, argv,
                      {sample_command, summary_command, diagnose_command, check_command, models_command, markov_command,
                       gallery_command});
}
