#include <csignal>
#include <string_view>

#include "cli/commands.hpp"

int main(int argc, char** argv) {
  using namespace manychain::cli;
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write, which has a sentence
  if (argc > 1 && std::string_view(argv[1]) == "gallery") return start_gallery(argv + 1);
  return run_commands(argc, argv,
                      {sample_command, summary_command, diagnose_command, check_command, models_command, markov_command,
                       gallery_command});
}
